// What can be completed at each place of a command line, derived from the table of commands.

import type { Argument, Command, Option } from '../usage.ts'

export type Candidate = { word: string; help: string }

/** What can be typed as a value: one of several words, a path, or anything else. */
export type Value = { choices: readonly string[] } | 'path' | 'text'

/** A command or a group of commands. `options` have a `value` unless they are flags. */
export type Place = {
  /** Empty for the beginning of the line. */
  words: string
  subcommands: Candidate[]
  options: (Candidate & { value?: Value })[]
  arguments: Value[]
}

export function listPlaces(commands: readonly Command[]): Place[] {
  const beginnings = commands.flatMap(({ words }) => {
    const parts = words.split(' ')
    return parts.map((_, at) => parts.slice(0, at + 1).join(' '))
  })
  return ['', ...new Set(beginnings)].map((words) => placeOf(words, commands))
}

/** Several commands can have the same words; their options are completed together. */
function placeOf(words: string, commands: readonly Command[]): Place {
  const own = commands.filter((command) => command.words === words)
  const options = Object.entries(Object.assign({}, ...own.map((command) => command.options)) as Record<string, Option>)
  const positionals = own.map((command) => Object.entries(command.arguments ?? {}))
  return {
    words,
    subcommands: subcommandsOf(words, commands),
    options: [
      ...options.map(([name, { help, value }]) => ({
        ...{ word: `--${name}`, help },
        ...(value !== undefined && { value: toValue(value, choicesIn(value)) }),
      })),
      { word: '--help', help: 'explain the command' },
      ...(words === '' ? [{ word: '--version', help: 'print the version' }] : []),
    ],
    arguments: positionals
      .reduce((longest, each) => (each.length > longest.length ? each : longest), [])
      .map(([name, argument]) => toValue(name, choicesOf(argument))),
  }
}

function subcommandsOf(words: string, commands: readonly Command[]): Candidate[] {
  const depth = words === '' ? 0 : words.split(' ').length
  const below = commands.filter((command) => words === '' || command.words.startsWith(`${words} `))
  const names = new Map(
    below.map((command) => {
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

/** Such as `administrator|manager`; words in capitals stand for something else. */
function choicesIn(value: string): string[] {
  return value.includes('|') ? value.split('|').filter((choice) => /^[a-z]+$/.test(choice)) : []
}

function toValue(name: string, choices: readonly string[]): Value {
  if (choices.length > 0) return { choices }
  return /^(file|dir)/i.test(name) ? 'path' : 'text'
}
