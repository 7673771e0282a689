// Names the browser and system in a User-Agent header.

/** The first match wins, because a browser's User-Agent may also name browsers further down this list. */
const browsers = [
  [/\bEdgA?(iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const

const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** Returns for example `Firefox, Windows`, or the first 60 characters of an unknown User-Agent. */
export function browserName(agent: string): string {
  const [browser, system] = [browsers, systems].map(
    (patterns) => patterns.find(([pattern]) => pattern.test(agent))?.[1],
  )
  return browser ? [browser, system].filter(Boolean).join(', ') : agent.slice(0, 60)
}
