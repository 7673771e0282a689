// The arguments and options of a command, declared as data, and what derives from them: the usage, the help, and the parsing.

import { parseArgs } from 'node:util'
import type { CommandArguments, CommandHandler } from './command.ts'

/** An option without `value` is a flag. A flag that only the command itself requires, such as --yes, `isShownAsRequired`. */
export type Option = {
  value?: string
  help: string
  isRequired?: true
  isRepeatable?: true
  isShownAsRequired?: true
}

/** `words`: the words that select the command. Of two commands with the same words, the one whose required flag is on the line
 *  comes first in the table. */
export type Command = {
  words: string
  help: string
  /** The positional arguments by name, in order, with their help. All are required. */
  arguments?: Record<string, string>
  options?: Record<string, Option>
  /** Selects this command only if the line has this option. */
  onlyWith?: string
  /** `serve` has none: the caller of the command line passes it. */
  run?: CommandHandler
}

/** One line, such as `tenant create <slug> [--name TEXT]`. */
export function usageOf(command: Command): string {
  const positionals = Object.keys(command.arguments ?? {}).map((name) => `<${name}>`)
  const options = Object.entries(command.options ?? {}).map(([name, option]) => {
    const words = wordsOf(name, option)
    const repeated = option.isRepeatable ? ` [--${name} …]` : ''
    return option.isRequired || option.isShownAsRequired ? `${words}${repeated}` : `[${words}]`
  })
  return [command.words, ...positionals, ...options].join(' ')
}

/** What the command does, and what each of its arguments and options means. */
export function helpOf(command: Command): string {
  const details: [string, string][] = [
    ...Object.entries(command.arguments ?? {}).map(([name, help]): [string, string] => [`<${name}>`, help]),
    ...Object.entries(command.options ?? {}).map(([name, option]): [string, string] => [
      wordsOf(name, option),
      option.help,
    ]),
  ]
  const width = Math.max(0, ...details.map(([words]) => words.length))
  const lines = details.map(([words, help]) => `  ${words.padEnd(width)}  ${help}`)
  return [`Usage: tenantdesk ${usageOf(command)}`, '', command.help, ...(lines.length > 0 ? ['', ...lines] : [])].join(
    '\n',
  )
}

function wordsOf(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

/** Parses the words after those of the command. Returns a usage error as text. */
export function parseArguments(command: Command, line: readonly string[]): CommandArguments | string {
  const expected = Object.keys(command.arguments ?? {})
  const options = Object.entries(command.options ?? {})
  try {
    const { values, positionals } = parseArgs({
      args: [...line],
      options: Object.fromEntries(options.map(([name, option]) => [name, parserOption(option)])),
      allowPositionals: true,
    })
    const missing = expected[positionals.length]
    if (missing) return `Missing argument <${missing}>.`
    if (positionals.length > expected.length) return `Unexpected argument ${JSON.stringify(positionals.at(-1))}.`
    const required = options.find(([name, { isRequired }]) => isRequired && !values[name])
    if (required) return `Missing option --${required[0]}.`
    return { values: positionals, options: values as CommandArguments['options'] }
  } catch (error) {
    return (error as Error).message
  }
}

function parserOption({ value, isRepeatable }: Option) {
  return { type: value === undefined ? 'boolean' : 'string', multiple: isRepeatable === true } as const
}
