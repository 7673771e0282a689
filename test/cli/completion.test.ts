// Loads the scripts that `tenantdesk completion` prints into real shells, and types lines that end with a tab.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { command, temporaryDirectory } from '../support/service.ts'

const script = async (shell: string) => (await command({}, 'completion', shell)).stdout

/** Maps each line that is typed to the command line that the shell must complete it to. */
const completions: Record<string, string> = {
  conf: 'config',
  'tenant susp': 'tenant suspend',
  'tenant suspend acme --rea': 'tenant suspend acme --reason',
  'key revoke --lo': 'key revoke --lost-pepper',
  'user create a@example.com --role admi': 'user create a@example.com --role administrator',
  'user create --role manager a@example.com --ten': 'user create --role manager a@example.com --tenant',
  'import emp': 'import employees',
  'import employees fi': 'import employees file.csv',
  'export acme --to fi': 'export acme --to file.csv',
  'tenant create --name tenant --tri': 'tenant create --name tenant --trial-ends',
  'completion zs': 'completion zsh',
  '--vers': '--version',
}

/** Creates a directory with a file to complete, and a `tenantdesk` program that records its arguments. */
function createDirectory(): { directory: string; calls: () => string[] } {
  const directory = temporaryDirectory()
  const [log, program] = [join(directory, 'calls'), join(directory, 'tenantdesk')]
  writeFileSync(log, '')
  writeFileSync(program, `#!/bin/sh\necho "$*" >> ${log}\n`)
  chmodSync(program, 0o755)
  writeFileSync(join(directory, 'file.csv'), '')
  return { directory, calls: () => readFileSync(log, 'utf8').split('\n').slice(0, -1) }
}

/** Types the lines into an interactive shell, on a terminal that `script` provides. */
async function typeInto(shell: string, load: string): Promise<string[]> {
  const { directory, calls } = createDirectory()
  writeFileSync(join(directory, 'completion'), load)
  const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, TERM: 'dumb', HOME: directory }
  const child = spawn('script', ['--quiet', '--command', shell, '/dev/null'], { cwd: directory, env })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  child.stdin.write(`. ./completion; touch loaded\r`)
  await until(
    () => existsSync(join(directory, 'loaded')),
    () => printed,
  )
  for (const [index, line] of Object.keys(completions).entries()) {
    child.stdin.write(`tenantdesk ${line}\t\r`)
    await until(
      () => calls().length > index,
      () => printed,
    )
  }
  child.stdin.end('exit\r')
  await once(child, 'exit')
  return calls().map((line) => line.trim())
}

async function until(condition: () => boolean, failureMessage: () => string): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!condition()) {
    if (Date.now() > deadline) assert.fail(failureMessage())
    await wait(20)
  }
}

const skipWithout = (shell: string) => ({
  skip: spawnSync(shell, ['--version']).status !== 0 && `${shell} is not installed`,
})

test('bash completes commands, options, choices and files', skipWithout('bash'), async () => {
  const lines = await typeInto('bash --norc --noprofile -i', await script('bash'))
  assert.deepEqual(lines, Object.values(completions))
})

test('zsh completes commands, options, choices and files', skipWithout('zsh'), async () => {
  const lines = await typeInto('zsh -f -i', `autoload -U compinit; compinit -u -D\n${await script('zsh')}`)
  assert.deepEqual(lines, Object.values(completions))
})

test('the completion scripts can be printed without an installation, and an unknown shell is refused', async () => {
  assert.equal((await command({ PORT: 'http' }, 'completion', 'bash')).exitCode, 0)
  assert.deepEqual(await command({}, 'completion', 'tcsh'), {
    exitCode: 1,
    stdout: '',
    stderr: 'There is no completion for "tcsh"; the supported shells are bash, zsh.\n',
  })
})
