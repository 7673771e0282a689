import type { Place, Value } from './words.ts'

export function fishScript(places: readonly Place[]): string {
  const commands = places.flatMap(({ words }) => (words === '' ? [] : [quote(words)]))
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
${places.flatMap(linesOf).join('\n')}
`
}

function linesOf(place: Place): string[] {
  const start = `complete -c tenantdesk -n ${quote(`__tenantdesk_is "${place.words}"`)}`
  return [
    ...place.subcommands.map(({ word, help }) => `${start} -a ${word} -d ${quote(help)}`),
    ...place.arguments.filter((value) => value !== 'text').map((value) => `${start} ${offer(value)}`),
    ...place.options.map(({ word, help, value }) => {
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
