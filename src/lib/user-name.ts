import { readFileSync } from 'node:fs'

/** Returns the name of a user of this machine. Returns `#` and the id, as sudo accepts it, if the id has no name. */
export function userName(id: number): string {
  const line = passwordFile().find((fields) => fields[2] === String(id))
  return line?.[0] ?? `#${id}`
}

function passwordFile(): string[][] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
  } catch {
    return []
  }
}
