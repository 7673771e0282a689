// What the help and --version print, and how invalid command lines are explained.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { command as declareCommand } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands/all.ts'
import { parseLine } from '../../src/cli/parse-line.ts'
import { wordsOf } from '../support/program.ts'
import { command } from '../support/service.ts'

const type = (line: string) => command({}, ...wordsOf(line))

test('every command has help with examples, and each example parses as that command', async () => {
  for (const declaration of commands) {
    assert.match(declaration.help, /^[A-Z].*\.$/, declaration.words)
    assert.ok(declaration.examples.length > 0, declaration.words)
    const { exitCode, stdout } = await type(`${declaration.words} --help`)
    assert.equal(exitCode, 0)
    for (const example of declaration.examples) {
      assert.ok(
        stdout.includes(`\n  tenantdesk ${example}\n`) || stdout.endsWith(`\n  tenantdesk ${example}\n`),
        example,
      )
      const parsed = parseLine(commands, wordsOf(example.split(/ [<>] /)[0]!))
      assert.equal('command' in parsed && parsed.command, declaration, `${example}: ${JSON.stringify(parsed)}`)
    }
  }
})

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.deepEqual(await type('--version'), { exitCode: 0, stdout: `${version}\n`, stderr: '' })
})

test('help accepts the name of a command or a group', async () => {
  assert.deepEqual(await type('help key list'), await type('key list --help'))
  assert.deepEqual(await type('help tenant'), await type('tenant --help'))
})

test('a misspelled command or option gets a suggestion, and every mistake is explained in a sentence', async () => {
  const sentences = {
    '': 'No command given.',
    tenant: 'The command is incomplete.',
    'tenants list': "Unknown command 'tenants'. Did you mean tenant?",
    'tenant lits': "Unknown command 'lits'. Did you mean list?",
    'tenant list --jsn': "Unknown option '--jsn'. Did you mean --json?",
    'tenant list acme': "Too many arguments for 'list'. Expected 0 arguments but got 1.",
    'key create acme': "Required option '--scope <scope>' not specified.",
    'tenant create': "Missing required argument 'slug'.",
    'tenant create acme --name --trial-ends':
      "Option '--name <TEXT>' argument '--trial-ends' is invalid. For a value that starts with -, write --name=--trial-ends.",
  }
  for (const [line, sentence] of Object.entries(sentences)) {
    const { exitCode, stderr } = await type(line)
    assert.deepEqual([exitCode, stderr.split('\n').slice(0, 2)], [2, [sentence, 'Usage:']], line)
  }
})

test('a value that begins with - must follow an equals sign, unless the value is only -', () => {
  const parsed = parseLine(commands, ['tenant', 'create', 'acme', '--name=-x-'])
  assert.equal('input' in parsed && parsed.input.name, '-x-')
  const server = parseLine(commands, ['server', 'add', 'big', '-'])
  assert.deepEqual('input' in server && [server.input.name, server.input['url|-']], ['big', '-'])
})

test('the last argument of a command can be optional and repeatable', async () => {
  const pack = declareCommand({
    words: 'pack',
    help: 'Packs tenants.',
    arguments: { slug: { help: 'all tenants unless given', isOptional: true, isRepeatable: true } },
    options: { 'since-last': { help: 'skip what is unchanged' } },
    examples: [],
  })
  const parse = (...line: string[]) => {
    const parsed = parseLine([pack], line)
    return 'input' in parsed ? parsed.input : parsed
  }
  assert.deepEqual(parse('pack'), { slug: [], 'since-last': undefined })
  assert.deepEqual(parse('pack', 'acme', '--since-last', 'globex'), {
    slug: ['acme', 'globex'],
    'since-last': true,
  })
  const help = parseLine([pack], ['pack', '--help'])
  assert.ok('text' in help && help.text.startsWith('Usage: tenantdesk pack [<slug> …] [--since-last]\n'))
})
