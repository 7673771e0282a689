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
  if (script) return script(listCandidates(commands))
  throw new UserError(
    `There is no completion for ${JSON.stringify(shell)}; the supported shells are ${shells.join(', ')}.`,
  )
}

/** The script skips `=`, because bash splits `--option=value` into three words. */
function bashScript(candidates: Candidates): string {
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
${readWord(candidates)}
  done
  if [[ $current == '=' ]]; then current=; fi
${offerCandidates(candidates, offers)}
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -F _tenantdesk tenantdesk
`
}

function zshScript(candidates: Candidates): string {
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
${readWord(candidates)}
  done
${offerCandidates(candidates, offers)}
  compadd -- $candidates
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _tenantdesk "$@"; else compdef _tenantdesk tenantdesk; fi
`
}

/** Returns the statements that find the command, the option whose value comes next, and the number of arguments before
 *  the cursor. `rest` is set after the words of the command. */
function readWord(candidates: Candidates): string {
  const keys = [...candidates.keys()]
  const commands = keys.filter((key) => key !== '' && candidates.has(`${key} -`))
  return `    if [[ -z $rest ]]; then
      case "\${command:+$command }$word" in
        ${anyOf(commands)}) command="\${command:+$command }$word"; continue ;;
      esac
      rest=1
    fi
    if [[ -n $option ]]; then option=; continue; fi
    case "$command $word" in
      ${anyOf(keys.filter((key) => key.includes(' --')))}) option=$word ;;
      *' -'*) ;;
      *) position+=1 ;;
    esac`
}

/** Returns the statements that offer paths or words. Other values have no candidates. */
function offerCandidates(candidates: Candidates, offers: Offers): string {
  const paths = [...candidates].flatMap(([key, value]) => (value === 'path' ? [key] : []))
  const words = [...candidates].flatMap(([key, value]) =>
    Array.isArray(value) && value.length > 0 ? [`    ${quote(key)}) ${offers.words(value)} ;;\n`] : [],
  )
  return `  local key="$command\${rest:+ $position}"
  if [[ $current == -* ]]; then key="$command -"; fi
  if [[ -n $option ]]; then key="$command $option"; fi
  case "$key" in
    ${anyOf(paths)}) ${offers.paths} ;;
${words.join('')}  esac`
}

function anyOf(texts: readonly string[]): string {
  return texts.map(quote).join(' | ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

type Value = readonly string[] | 'path' | 'text'

/** What can follow, by key. `tenant`: the words after a group or command. `tenant create -`: the command's options.
 *  `tenant create --server`: the option's value. `tenant create 0`: the first argument, after an option. */
type Candidates = ReadonlyMap<string, Value>

function listCandidates(commands: readonly Command[]): Candidates {
  const prefixes = commands.flatMap(({ words }) => {
    const parts = words.split(' ')
    return parts.map((_, index) => parts.slice(0, index + 1).join(' '))
  })
  return new Map(['', ...new Set(prefixes)].flatMap((words) => candidatesAfter(words, commands)))
}

/** Several commands can have the same words. Their options are completed together. */
function candidatesAfter(words: string, commands: readonly Command[]): [key: string, value: Value][] {
  const start = words === '' ? '' : `${words} `
  const nested = commands.filter((command) => command.words.startsWith(start))
  const subcommands = [...new Set(nested.map((command) => command.words.slice(start.length).split(' ')[0]!))]
  const sameWords = commands.filter((command) => command.words === words)
  const options = sameWords.flatMap((command) => Object.entries(command.options ?? {}))
  const names = [...options.map(([name]) => `--${name}`), '--help', ...(words === '' ? ['--version'] : [])]
  const positionals = sameWords.map((command) => Object.entries(command.arguments ?? {}))
  const [longest = []] = positionals.toSorted((one, other) => other.length - one.length)
  const values = longest.map(([name, argument]) => toValue(name, choicesOf(argument)))
  return [
    [words, values[0] === undefined || values[0] === 'text' ? subcommands : values[0]],
    [`${words} -`, [...new Set(names)]],
    ...options.flatMap(([name, { value }]): [string, Value][] =>
      value === undefined ? [] : [[`${words} --${name}`, toValue(value, choicesIn(value))]],
    ),
    ...values.map((value, index): [string, Value] => [`${words} ${index}`, value]),
  ]
}

function choicesOf(argument: Argument): readonly string[] {
  return typeof argument === 'string' ? [] : (argument.choices ?? [])
}

/** Returns the choices in a value such as `administrator|manager`. Words in capitals are placeholders. */
function choicesIn(value: string): string[] {
  return value.includes('|') ? value.split('|').filter((choice) => /^[a-z]+$/.test(choice)) : []
}

function toValue(name: string, choices: readonly string[]): Value {
  if (choices.length > 0) return choices
  return /^(file|dir)/i.test(name) ? 'path' : 'text'
}
