import type { CompletionContext, Value } from './words.ts'

export function fishScript(contexts: readonly CompletionContext[]): string {
  const commands = contexts.flatMap(({ words }) => (words === '' ? [] : [quote(words)]))
  return `# Completes tenantdesk in fish. To load it: tenantdesk completion fish | source
function __tenantdesk_is
    set -l command
    for word in (commandline -opc)[2..-1]
        contains -- "$(string join -- ' ' $command $word)" ${commands.join(' ')}; or break
        set -a command $word
    end
    test "$command" = "$argv[1]"
end
complete -c tenantdesk -f
${contexts.flatMap(linesOf).join('\n')}
`
}

function linesOf(context: CompletionContext): string[] {
  const start = `complete -c tenantdesk -n ${quote(`__tenantdesk_is "${context.words}"`)}`
  return [
    ...context.subcommands.map(({ word, help }) => `${start} -a ${word} -d ${quote(help)}`),
    ...context.arguments.filter((value) => value !== 'text').map((value) => `${start} ${offer(value)}`),
    ...context.options.map(({ word, help, value }) => {
      const kind = value ? ` -r ${offer(value)}` : ''
      return `${start} -l ${word.slice(2)}${kind} -d ${quote(help)}`
    }),
  ]
}

function offer(value: Value): string {
  if (value === 'path') return '-F'
  return value === 'text' ? '-f' : `-f -a ${quote(value.choices.join(' '))}`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
