// Creates the completion scripts for bash and zsh. Both scripts use the same `case` statements, but they offer
// candidates in different ways.

import type { Candidate, CompletionContext, Value } from './words.ts'

/** The shell statements that offer words or paths. */
type Offers = { words: (candidates: Candidate[]) => string; paths: string }

const bash: Offers = {
  words: (candidates) => `candidates='${candidates.map(({ word }) => word).join(' ')}'`,
  paths: `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return`,
}

const zsh: Offers = {
  words: (candidates) => `candidates=(${candidates.map(({ word, help }) => quote(`${word}:${help}`)).join(' ')})`,
  paths: '_files; return',
}

/** The script skips `=`, because bash splits `--option=value` into three words. */
export function bashScript(contexts: readonly CompletionContext[]): string {
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
${offerCandidates(contexts, bash)}
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -F _tenantdesk tenantdesk
`
}

export function zshScript(contexts: readonly CompletionContext[]): string {
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
${offerCandidates(contexts, zsh)}
  if [[ $current == -* ]]; then _describe -o tenantdesk candidates; else _describe tenantdesk candidates; fi
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _tenantdesk "$@"; else compdef _tenantdesk tenantdesk; fi
`
}

/** Returns the statements that find the command, the option whose value comes next, and the number of arguments before
 *  the cursor. */
function readWord(contexts: readonly CompletionContext[]): string {
  const commands = contexts.flatMap(({ words }) => (words === '' ? [] : [words]))
  const withValue = contexts.flatMap(({ words, options }) =>
    options.filter(({ value }) => value).map(({ word }) => `${words} ${word}`),
  )
  return `    if [[ -z $rest ]]; then
      case "\${command:+$command }$word" in
        ${anyOf(commands)}) command="\${command:+$command }$word"; continue ;;
      esac
      rest=1
    fi
    if [[ -n $option ]]; then option=; continue; fi
    case "$command $word" in
      ${anyOf(withValue)}) option=$word ;;
      *' -'*) ;;
      *) position+=1 ;;
    esac`
}

function offerCandidates(contexts: readonly CompletionContext[], offers: Offers): string {
  const values = contexts.flatMap(({ words, options }) =>
    options.map(({ word, value }) => [`${words} ${word}`, value] as const),
  )
  const positionals = contexts.flatMap((context) =>
    context.arguments.map((value, index) => [`${context.words} ${index}`, value] as const),
  )
  const subcommands = contexts.filter((context) => context.subcommands.length > 0)
  return `  if [[ -n $option ]]; then
    case "$command $option" in
${valueCases(values, offers)}
    esac
  elif [[ $current == -* ]]; then
    case "$command" in
${contexts.map(({ words, options }) => `      ${quote(words)}) ${offers.words(options)} ;;`).join('\n')}
    esac
  elif [[ -z $rest ]]; then
    case "$command" in
${subcommands.map((context) => `      ${quote(context.words)}) ${offers.words(context.subcommands)} ;;`).join('\n')}
    esac
  fi
  if [[ -z $option && $current != -* ]]; then
    case "$command $position" in
${valueCases(positionals, offers)}
    esac
  fi`
}

/** Returns the cases that offer paths and choices. Other values have no candidates. */
function valueCases(values: readonly (readonly [pattern: string, value: Value | undefined])[], offers: Offers): string {
  const paths = values.flatMap(([pattern, value]) => (value === 'path' ? [pattern] : []))
  const choices = values.flatMap(([pattern, value]) => {
    if (typeof value !== 'object') return []
    return [`      ${quote(pattern)}) ${offers.words(value.choices.map((word) => ({ word, help: '' })))} ;;`]
  })
  return [...(paths.length > 0 ? [`      ${anyOf(paths)}) ${offers.paths} ;;`] : []), ...choices].join('\n')
}

function anyOf(texts: readonly string[]): string {
  return texts.map(quote).join(' | ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
