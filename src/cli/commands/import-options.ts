// Reads the options of the `import` command.

import { readFile } from 'node:fs/promises'
import type { AmountUnit } from '../../domain/imports/file/amounts.ts'
import type { ImportOptions, RequestedImport } from '../../domain/imports/start-import.ts'
import { UserError } from '../../lib/user-error.ts'
import { Problem } from '../../problem.ts'

type ImportInput = {
  resource: string
} & Record<'run' | 'valid-rows', true | undefined> &
  Record<'match' | 'amounts' | 'map-file' | 'mapping' | 'save-as', string | undefined> &
  Record<'map' | 'set' | 'value', string[] | undefined>

/** Returns what the command's options ask for. Throws UserError. */
export async function readOptions({ resource, run, match, map = [], ...input }: ImportInput): Promise<RequestedImport> {
  if (input['valid-rows'] && !run) throw new UserError('--valid-rows requires --run.')
  const runMode = input['valid-rows'] ? 'valid_rows' : 'all_or_nothing'
  const path = input['map-file']
  const fromFile = path === undefined ? [] : await readMapFile(path)
  const mode = run ? runMode : 'dry_run'
  return {
    resource,
    mode,
    match: match ?? null,
    amounts: (input.amounts ?? null) as AmountUnit | null, // checked by requireImportOptions
    map: Object.fromEntries([...fromFile, ...map].map(readMapEntry)),
    set: readSet(input.set ?? []),
    value: readReplacements(input.value ?? []),
    charset: null,
    mappingName: input.mapping ?? null,
    saveAs: input['save-as']?.trim() ?? null,
  }
}

/** Returns the lines of a map file, without comments and empty lines. */
async function readMapFile(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(throwUserError)
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !/^#(\s|$)/.test(line)) // a title may begin with #
}

function readMapEntry(text: string): [title: string, field: string] {
  const separatorIndex = text.lastIndexOf('=')
  if (separatorIndex < 1) throw new UserError(`--map must be "Column title=field", not ${JSON.stringify(text)}.`)
  return [text.slice(0, separatorIndex).trim(), text.slice(separatorIndex + 1).trim()]
}

function readSet(texts: readonly string[]): ImportOptions['set'] {
  const values = new Map<string, string>()
  for (const text of texts) {
    const [, field = '', value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (value === undefined) throw new UserError(`--set must be "field=value", not ${JSON.stringify(text)}.`)
    requireNew(values, field.trim(), `--set ${field.trim()}`)
    values.set(field.trim(), value.trim())
  }
  return Object.fromEntries(values)
}

/** The text after the last `=` replaces the cell, and the title ends before the first `|`. */
function readReplacements(texts: readonly string[]): ImportOptions['value'] {
  const byTitle = new Map<string, Map<string, string>>()
  for (const text of texts) {
    const [, title = '', cell = '', replacement] = /^([^|]+)\|(.*)=([^=]*)$/s.exec(text) ?? []
    if (replacement === undefined)
      throw new UserError(`--value must be "Column title|cell=text", not ${JSON.stringify(text)}.`)
    const words = byTitle.get(title.trim()) ?? new Map<string, string>()
    requireNew(words, cell.trim(), `--value "${title.trim()}|${cell.trim()}"`)
    byTitle.set(title.trim(), words.set(cell.trim(), replacement.trim()))
  }
  return Object.fromEntries([...byTitle].map(([title, words]) => [title, Object.fromEntries(words)]))
}

function requireNew(values: ReadonlyMap<string, string>, name: string, option: string): void {
  if (values.has(name)) throw new UserError(`${option} is given more than once; give it once.`)
}

/** Throws what a person at the terminal should read about a refused request or a file that cannot be read. Rethrows any
 *  other error. */
export function throwUserError(error: unknown): never {
  if (error instanceof Problem) throw new UserError(error.message)
  const { code, syscall, message } = error as NodeJS.ErrnoException
  throw syscall === 'open' || code === 'EISDIR' ? new UserError(`The file cannot be read: ${message}.`) : error
}
