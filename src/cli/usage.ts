// A command, its arguments and its options, declared as data, and the texts that derive from them: the usage and the help.

import { styleText } from 'node:util'
import type { Help } from 'commander'
import type { CommandArguments, CommandHandler } from './command.ts'

/** An option without `value` is a flag. A flag that only the command itself requires, such as --yes, `isShownAsRequired`. */
export type Option = {
  value?: string
  help: string
  isRequired?: true
  isRepeatable?: true
  isShownAsRequired?: true
  /** Explained in the help, but left out of the usage, which would become longer than what it is about. */
  isOmittedFromUsage?: true
}

/** A text is the help of an argument that is required once. Only the last argument can be optional or repeatable. Shells complete
 *  `choices`; the command itself refuses other values. */
export type Argument = string | { help: string; choices?: readonly string[]; isOptional?: true; isRepeatable?: true }

/** `words`: the words that select the command. Of two commands with the same words, the one whose required flag is on the line
 *  comes first in the table. */
export type Command = {
  words: string
  help: string
  /** The positional arguments by name, in order. */
  arguments?: Record<string, Argument>
  options?: Record<string, Option>
  /** Complete command lines after the name of the program. A test parses each of them. */
  examples: readonly string[]
  /** Selects this command only if the line has this option. */
  onlyWith?: string
  /** `serve` has none: the caller of the command line passes it. */
  run?: CommandHandler
  /** In place of `run`: gives the text that the command prints, without reading settings. Throws UserError. */
  print?: (input: CommandArguments) => string
}

/** The usage of these commands, a line for each. */
export function usage(commands: readonly Command[]): string {
  return ['Usage:', ...commands.map((command) => `  tenantdesk ${usageOf(command)}`)].join('\n')
}

/** One line, such as `tenant create <slug> [--name TEXT]`. */
export function usageOf(command: Command): string {
  const positionals = Object.entries(command.arguments ?? {}).map(([name, argument]) => wordsOfArgument(name, argument))
  const shown = Object.entries(command.options ?? {}).filter(([, option]) => !option.isOmittedFromUsage)
  const options = shown.map(([name, option]) => {
    const words = wordsOf(name, option)
    const repeated = option.isRepeatable ? ` [--${name} …]` : ''
    return option.isRequired || option.isShownAsRequired ? `${words}${repeated}` : `[${words}]`
  })
  return [command.words, ...positionals, ...options].join(' ')
}

function wordsOfArgument(name: string, argument: Argument): string {
  const { isOptional, isRepeatable } = typeof argument === 'string' ? {} : argument
  const words = `<${name}>${isRepeatable ? ' …' : ''}`
  return isOptional ? `[${words}]` : words
}

/** The help for the words of a command or of a group of commands; without words, for all commands. */
export function helpFor(commands: readonly Command[], words: string, layout: Help): string {
  const named = commands.filter((command) => command.words === words)
  const group = commands.filter((command) => command.words.startsWith(words === '' ? '' : `${words} `))
  const hint = 'Help for one command: tenantdesk <command> --help'
  const parts = named.map((command) => helpOf(command, layout))
  if (named.length === 0 || group.length > 0) parts.push(usage(group), hint)
  return `${parts.join('\n\n')}\n`
}

/** What the command does, what each of its arguments and options means, and examples. */
function helpOf(command: Command, layout: Help): string {
  const details: [string, string][] = [
    ...Object.entries(command.arguments ?? {}).map(([name, argument]): [string, string] => [
      `<${name}>`,
      typeof argument === 'string' ? argument : argument.help,
    ]),
    ...Object.entries(command.options ?? {}).map(([name, option]): [string, string] => [
      wordsOf(name, option),
      option.help,
    ]),
  ]
  const width = Math.max(0, ...details.map(([words]) => words.length))
  const lines = details.map(([words, help]) => layout.formatItem(words, width, help, layout))
  const examples = command.examples.map((example) => `  tenantdesk ${example}`)
  return [
    `${title('Usage:')} tenantdesk ${usageOf(command)}`,
    command.help,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    [title(examples.length > 1 ? 'Examples:' : 'Example:'), ...examples].join('\n'),
  ].join('\n\n')
}

/** commander removes the style where there is no terminal, or where NO_COLOR is set. */
function title(text: string): string {
  return styleText('bold', text, { validateStream: false })
}

function wordsOf(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}
