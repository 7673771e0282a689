// The candidates for completion after each command, derived from the table of commands.

import type { Argument, Command, Option } from '../usage.ts'

export type Candidate = { word: string; help: string }

/** A value is one of several words, a path, or other text. */
export type Value = { choices: readonly string[] } | 'path' | 'text'

/** The candidates after a command or a group of commands. Options that are flags have no `value`. */
export type CompletionContext = {
  /** The words in the command or group; empty for the start of the line. */
  words: string
  subcommands: Candidate[]
  options: (Candidate & { value?: Value })[]
  arguments: Value[]
}

export function listContexts(commands: readonly Command[]): CompletionContext[] {
  const prefixes = commands.flatMap(({ words }) => {
    const parts = words.split(' ')
    return parts.map((_, index) => parts.slice(0, index + 1).join(' '))
  })
  return ['', ...new Set(prefixes)].map((words) => contextOf(words, commands))
}

/** Several commands can have the same words. Their options are completed together. */
function contextOf(words: string, commands: readonly Command[]): CompletionContext {
  const sameWords = commands.filter((command) => command.words === words)
  const options = Object.entries(
    Object.assign({}, ...sameWords.map((command) => command.options)) as Record<string, Option>,
  )
  const positionals = sameWords.map((command) => Object.entries(command.arguments ?? {}))
  return {
    words,
    subcommands: subcommandsOf(words, commands),
    options: [
      ...options.map(([name, { help, value }]) => ({
        word: `--${name}`,
        help,
        ...(value !== undefined && { value: toValue(value, choicesIn(value)) }),
      })),
      { word: '--help', help: 'explain the command' },
      ...(words === '' ? [{ word: '--version', help: 'print the version' }] : []),
    ],
    arguments: positionals
      .reduce((longest, entries) => (entries.length > longest.length ? entries : longest), [])
      .map(([name, argument]) => toValue(name, choicesOf(argument))),
  }
}

function subcommandsOf(words: string, commands: readonly Command[]): Candidate[] {
  const depth = words === '' ? 0 : words.split(' ').length
  const nestedCommands = commands.filter((command) => words === '' || command.words.startsWith(`${words} `))
  const names = new Map(
    nestedCommands.map((command) => {
      const parts = command.words.split(' ')
      const isGroup = parts.length > depth + 1
      return [parts[depth]!, isGroup ? 'a group of commands' : firstSentence(command.help)]
    }),
  )
  return [...names].map(([word, help]) => ({ word, help }))
}

function firstSentence(help: string): string {
  return /^.*?\.(?= |$)/.exec(help)?.[0] ?? help
}

function choicesOf(argument: Argument): readonly string[] {
  return typeof argument === 'string' ? [] : (argument.choices ?? [])
}

/** Returns the choices in a value such as `administrator|manager`. Words in capitals are placeholders. */
function choicesIn(value: string): string[] {
  return value.includes('|') ? value.split('|').filter((choice) => /^[a-z]+$/.test(choice)) : []
}

function toValue(name: string, choices: readonly string[]): Value {
  if (choices.length > 0) return { choices }
  return /^(file|dir)/i.test(name) ? 'path' : 'text'
}
