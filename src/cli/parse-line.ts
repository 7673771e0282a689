// Parses a command line with commander, which is set up from the table of commands.

import { CommanderError, InvalidArgumentError, Option, Command as Parser } from 'commander'
import { version } from '../lib/version.ts'
import type { Command, CommandOption } from './command.ts'
import { helpFor } from './usage.ts'

type Input = Parameters<NonNullable<Command['run']>>[0]

/** A command to run, a text to print (help or version), or a sentence that explains the mistake in the line. `meant`: the
 *  line with a misspelled word replaced by the nearest one. */
export type ParsedLine =
  | { command: Command; input: Input }
  | { text: string }
  | { mistake: string; meant: readonly string[] }

export function parseLine(commands: readonly Command[], line: readonly string[]): ParsedLine {
  let text = ''
  let result: ParsedLine | undefined
  const program = new Parser('tenantdesk')
    .version(version, '--version')
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeOut: (written) => (text += written), writeErr() {}, outputError() {} })
    .configureHelp({ formatHelp: (parser, layout) => helpFor(commands, wordsOf(parser), layout) })
  for (const command of commands.filter((candidate) => isSelected(candidate, commands, line))) {
    const parser = findOrAddParser(program, command.words.split(' '))
    for (const [name, option] of Object.entries(command.options ?? {}))
      parser.addOption(toParserOption(name, option, line))
    addArguments(parser, command)
    parser.action(() => {
      result = { command, input: inputOf(command, parser) }
    })
  }
  try {
    program.parse(line[0] === 'help' ? [...line.slice(1), '--help'] : line, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { text: text.trimEnd() }
    return { mistake: toSentence(error, line), meant: correct(error, line) }
  }
  return result!
}

/** Several commands can have the same words. Returns whether this command is the first of them that fits the line. The
 *  words of a command, such as `backup`, can also begin those of another, such as `backup list`: the line selects one. */
function isSelected(command: Command, commands: readonly Command[], line: readonly string[]): boolean {
  const longer = commands.find(({ words }) => words.startsWith(`${command.words} `))
  if (longer && startsWith(line, longer)) return false
  const shorter = commands.find(({ words }) => command.words.startsWith(`${words} `))
  if (shorter && startsWith(line, shorter) && !startsWith(line, command)) return false
  const candidates = commands.filter(
    ({ words, onlyWith }) => words === command.words && (!onlyWith || line.includes(onlyWith)),
  )
  return candidates[0] === command
}

function startsWith(line: readonly string[], { words }: Command): boolean {
  return words.split(' ').every((word, index) => line[index] === word)
}

/** Returns the words that select a command or a group: the names of the parser's parents, and then its own name. */
function wordsOf(parser: Parser): string {
  if (!parser.parent) return ''
  return `${wordsOf(parser.parent)} ${parser.name()}`.trimStart()
}

function findOrAddParser(parent: Parser, [word, ...rest]: string[]): Parser {
  const parser = parent.commands.find((command) => command.name() === word) ?? parent.command(word!)
  return rest.length === 0 ? parser : findOrAddParser(parser, rest)
}

function toParserOption(name: string, option: CommandOption, line: readonly string[]): Option {
  const value = option.value === undefined ? '' : ` <${option.value.replaceAll(/[<>]/g, '')}>`
  const parserOption = new Option(`--${name}${value}`).makeOptionMandatory(option.isRequired === true)
  if (option.value === undefined) return parserOption
  return parserOption.argParser<string | string[] | undefined>((text, previous) => {
    if (/^-./.test(text) && !line.includes(`--${name}=${text}`))
      throw new InvalidArgumentError(`For a value that starts with -, write --${name}=${text}`)
    return option.isRepeatable ? [previous ?? [], text].flat() : text
  })
}

function addArguments(parser: Parser, command: Command): void {
  for (const [name, argument] of Object.entries(command.arguments ?? {})) {
    const { isOptional, isRepeatable } = typeof argument === 'string' ? {} : argument
    const words = `${name}${isRepeatable ? '...' : ''}`
    parser.argument(isOptional ? `[${words}]` : `<${words}>`)
  }
}

/** Returns the arguments and options under their names in the table of commands, because commander converts the names
 *  to camel case. */
function inputOf(command: Command, parser: Parser): Input {
  const values = parser.opts()
  const parserOptions = new Map(parser.options.map((option) => [option.long, option.attributeName()]))
  return Object.fromEntries([
    ...Object.keys(command.arguments ?? {}).map((name, index) => [name, parser.processedArgs[index]]),
    ...Object.keys(command.options ?? {}).map((name) => [name, values[parserOptions.get(`--${name}`)!]]),
  ])
}

function correct({ message }: CommanderError, line: readonly string[]): string[] {
  const [, unknown, nearest] = /unknown command '(.+)'\n\(Did you mean (\S+)\?\)/.exec(message) ?? []
  return line.map((word) => (word === unknown ? nearest! : word))
}

/** Converts commander's message, such as `error: unknown option '--jsn'\n(Did you mean --json?)`, to sentences. */
function toSentence({ code, message }: CommanderError, line: readonly string[]): string {
  if (code === 'commander.help') return line.length === 0 ? 'No command given.' : 'The command is incomplete.'
  const [reason, ...suggestion] = message.replace(/^error: /, '').split('\n')
  const sentence = [reason!, ...suggestion.map((line) => line.replace(/^\((.*)\)$/, '$1'))]
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .map((part) => (/[.?]$/.test(part) ? part : `${part}.`))
  return sentence.join(' ')
}
