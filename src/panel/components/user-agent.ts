// What people call the browser that a User-Agent header describes in a errorMessage of its own.

/** The first that matches counts: each of them also says that it is the next. */
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

/** Such as `Firefox, Windows`; of what is no known browser, the beginning of what it says. */
export function browserName(agent: string): string {
  const [browser, system] = [browsers, systems].map((known) => known.find(([pattern]) => pattern.test(agent))?.[1])
  return browser ? [browser, system].filter(Boolean).join(', ') : agent.slice(0, 60)
}
