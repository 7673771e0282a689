// Shell completion: the scripts for bash and zsh use the same `case` statements, which are derived from the table of
// commands, but they offer candidates in different ways.

import { UserError } from '../lib/user-error.ts'
import type { Argument, Command } from './command.ts'

/** The shell statements that offer words or paths. */
type Offers = { words: (words: readonly string[]) => string; paths: string }

const scripts = { bash: bashScript, zsh: zshScript }

export const shells = Object.keys(scripts)

/** Returns the script that completes these commands in a shell. Throws UserError. */
export function completionScript(commands: readonly Command[], shell: string): string {
  const script = new Map(Object.entries(scripts)).get(shell)
  if (script) return script(listContexts(commands))
  throw new UserError(
    `There is no completion for ${JSON.stringify(shell)}; the supported shells are ${shells.join(', ')}.`,
  )
}

/** The script skips `=`, because bash splits `--option=value` into three words. */
function bashScript(contexts: readonly CompletionContext[]): string {
  const offers = {
    words: (words: readonly string[]) => `candidates='${words.join(' ')}'`,
    paths: `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return`,
  }
  return `# Completes tenantdesk in bash. To load it: source <(tenantdesk completion bash)
_tenantdesk() {
  local current=\${COMP_WORDS[COMP_CWORD]} command= option= rest= candidates= word at
  local -i position=0
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ $word == '=' ]]; then continue; fi
${readWord(contexts)}
  done
  if [[ $current == '=' ]]; then current=; fi
${offerCandidates(contexts, offers)}
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -F _tenantdesk tenantdesk
`
}

function zshScript(contexts: readonly CompletionContext[]): string {
  const offers = {
    words: (words: readonly string[]) => `candidates=(${words.map(quote).join(' ')})`,
    paths: '_files; return',
  }
  return `#compdef tenantdesk
# Completes tenantdesk in zsh. To load it: source <(tenantdesk completion zsh), after compinit
_tenantdesk() {
  local current=\${words[CURRENT]} command= option= rest= word at
  local -i position=0
  local -a candidates
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
${readWord(contexts)}
  done
${offerCandidates(contexts, offers)}
  compadd -- $candidates
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _tenantdesk "$@"; else compdef _tenantdesk tenantdesk; fi
`
}

/** Returns the statements that find the command, the option whose value comes next, and the number of arguments before
 *  the cursor. */
function readWord(contexts: readonly CompletionContext[]): string {
  const commands = contexts.flatMap(({ words }) => (words === '' ? [] : [words]))
  const optionsWithValue = contexts.flatMap(({ words, options }) =>
    [...options].flatMap(([option, value]) => (value ? [`${words} ${option}`] : [])),
  )
  return `    if [[ -z $rest ]]; then
      case "\${command:+$command }$word" in
        ${anyOf(commands)}) command="\${command:+$command }$word"; continue ;;
      esac
      rest=1
    fi
    if [[ -n $option ]]; then option=; continue; fi
    case "$command $word" in
      ${anyOf(optionsWithValue)}) option=$word ;;
      *' -'*) ;;
      *) position+=1 ;;
    esac`
}

function offerCandidates(contexts: readonly CompletionContext[], offers: Offers): string {
  const values = contexts.flatMap(({ words, options }) =>
    [...options].map(([option, value]) => [`${words} ${option}`, value] as const),
  )
  const positionals = contexts.flatMap((context) =>
    context.arguments.map((value, index) => [`${context.words} ${index}`, value] as const),
  )
  const groups = contexts.filter(({ subcommands }) => subcommands.length > 0)
  return `  if [[ -n $option ]]; then
    case "$command $option" in
${valueCases(values, offers)}
    esac
  elif [[ $current == -* ]]; then
    case "$command" in
${contexts.map(({ words, options }) => `      ${quote(words)}) ${offers.words([...options.keys()])} ;;`).join('\n')}
    esac
  elif [[ -z $rest ]]; then
    case "$command" in
${groups.map(({ words, subcommands }) => `      ${quote(words)}) ${offers.words(subcommands)} ;;`).join('\n')}
    esac
  fi
  if [[ -z $option && $current != -* ]]; then
    case "$command $position" in
${valueCases(positionals, offers)}
    esac
  fi`
}

/** Returns the cases that offer paths and choices. Other values have no candidates. */
function valueCases(
  values: readonly (readonly [pattern: string, value: CompletedValue | undefined])[],
  offers: Offers,
): string {
  const paths = values.flatMap(([pattern, value]) => (value === 'path' ? [pattern] : []))
  const choices = values.flatMap(([pattern, value]) =>
    typeof value === 'object' ? [`      ${quote(pattern)}) ${offers.words(value)} ;;`] : [],
  )
  return [...(paths.length > 0 ? [`      ${anyOf(paths)}) ${offers.paths} ;;`] : []), ...choices].join('\n')
}

function anyOf(texts: readonly string[]): string {
  return texts.map(quote).join(' | ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A value is one of several words, a path, or other text. */
type CompletedValue = readonly string[] | 'path' | 'text'

/** The candidates after a command or a group of commands. Options that are flags have no value. */
type CompletionContext = {
  /** The words in the command or group; empty for the start of the line. */
  words: string
  subcommands: string[]
  options: Map<string, CompletedValue | undefined>
  arguments: CompletedValue[]
}

function listContexts(commands: readonly Command[]): CompletionContext[] {
  const prefixes = commands.flatMap(({ words }) => {
    const parts = words.split(' ')
    return parts.map((_, index) => parts.slice(0, index + 1).join(' '))
  })
  return ['', ...new Set(prefixes)].map((words) => contextOf(words, commands))
}

/** Several commands can have the same words. Their options are completed together. */
function contextOf(words: string, commands: readonly Command[]): CompletionContext {
  const start = words === '' ? '' : `${words} `
  const nested = commands.filter((command) => command.words.startsWith(start))
  const sameWords = commands.filter((command) => command.words === words)
  const positionals = sameWords.map((command) => Object.entries(command.arguments ?? {}))
  return {
    words,
    subcommands: [...new Set(nested.map((command) => command.words.slice(start.length).split(' ')[0]!))],
    options: new Map([
      ...sameWords.flatMap((command) =>
        Object.entries(command.options ?? {}).map(
          ([name, { value }]) => [`--${name}`, value === undefined ? value : toValue(value, choicesIn(value))] as const,
        ),
      ),
      ['--help', undefined] as const,
      ...(words === '' ? [['--version', undefined] as const] : []),
    ]),
    arguments: positionals
      .reduce((longest, entries) => (entries.length > longest.length ? entries : longest), [])
      .map(([name, argument]) => toValue(name, choicesOf(argument))),
  }
}

function choicesOf(argument: Argument): readonly string[] {
  return typeof argument === 'string' ? [] : (argument.choices ?? [])
}

/** Returns the choices in a value such as `administrator|manager`. Words in capitals are placeholders. */
function choicesIn(value: string): string[] {
  return value.includes('|') ? value.split('|').filter((choice) => /^[a-z]+$/.test(choice)) : []
}

function toValue(name: string, choices: readonly string[]): CompletedValue {
  if (choices.length > 0) return choices
  return /^(file|dir)/i.test(name) ? 'path' : 'text'
}
