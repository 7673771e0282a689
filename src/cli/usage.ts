// The texts derived from the declarations of commands: usage and help.

import { styleText } from 'node:util'
import type { Help } from 'commander'
import type { Argument, Command, CommandOption } from './command.ts'

/** Returns the usage of these commands, one line per command. */
export function usage(commands: readonly Command[]): string {
  return ['Usage:', ...commands.map((command) => `  tenantdesk ${usageOf(command)}`)].join('\n')
}

/** Returns a line such as `tenant create <slug> [--name TEXT]`. */
export function usageOf(command: Command): string {
  const positionals = Object.entries(command.arguments ?? {}).map(([name, argument]) => wordsOfArgument(name, argument))
  const listedOptions = Object.entries(command.options ?? {}).filter(([, option]) => !option.isOmittedFromUsage)
  const options = listedOptions.map(([name, option]) => {
    const words = wordsOf(name, option)
    if (!option.isRequired && !option.isShownAsRequired) return `[${words}${option.isRepeatable ? ' …' : ''}]`
    return option.isRepeatable ? `${words} [--${name} …]` : words
  })
  return [command.words, ...positionals, ...options].join(' ')
}

function wordsOfArgument(name: string, argument: Argument): string {
  const { isOptional, isRepeatable } = typeof argument === 'string' ? {} : argument
  const words = `<${name}>${isRepeatable ? ' …' : ''}`
  return isOptional ? `[${words}]` : words
}

/** Returns the help for the command or group of commands that these words select. If there are no words, returns the
 *  help for all commands. */
export function helpFor(commands: readonly Command[], words: string, layout: Help): string {
  const exactMatches = commands.filter((command) => command.words === words)
  const group = commands.filter((command) => command.words.startsWith(words === '' ? '' : `${words} `))
  const hint = 'Help for one command: tenantdesk <command> --help'
  const parts = exactMatches.map((command) => helpOf(command, layout))
  if (exactMatches.length === 0 || group.length > 0) parts.push(usage(group), hint)
  return `${parts.join('\n\n')}\n`
}

/** Returns what the command does, what each of its arguments and options means, and examples. */
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

/** commander removes the style if there is no terminal or NO_COLOR is set. */
function title(text: string): string {
  return styleText('bold', text, { validateStream: false })
}

function wordsOf(name: string, { value }: CommandOption): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}
