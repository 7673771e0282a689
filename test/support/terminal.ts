// A terminal for commands that run in the test's own process.

import type { Terminal } from '../../src/cli/command.ts'

/** Records what a command writes. */
export function recordingTerminal(onStderr: (text: string) => void = () => {}) {
  const written = { stdout: '', stderr: '' }
  const terminal: Terminal = {
    stdout: (text) => {
      written.stdout += `${text}\n`
    },
    stderr: (text) => {
      written.stderr += `${text}\n`
      onStderr(text)
    },
    readLine: async () => '',
  }
  return { terminal, written }
}
