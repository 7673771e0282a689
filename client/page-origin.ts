// Whether a browser may have refused to show a response, because the service does not allow the page's origin.

/** What a page has. `document` is absent elsewhere, for example in Node.js. */
type Globals = { document?: object; location: { href: string; origin: string }; navigator: { onLine: boolean } }

const { document, location, navigator } = globalThis as object as Globals

/** Whether the client runs in a browser's page. */
export const isPage = document !== undefined

/** The origins of the services that have responded to this page, and so allow its origin. */
const allowingOrigins = new Set<string>()

/** Call this with each response of a service. */
export function noteResponse(baseUrl: string): void {
  if (isPage) allowingOrigins.add(originOf(baseUrl))
}

/** Returns the page's origin if the service may not allow it. Browsers report a forbidden origin like a lost connection
 *  (as a TypeError). It cannot be the reason if the browser has no network, or after a first response. */
export function forbiddenOrigin(baseUrl: string, error: unknown): string | undefined {
  if (!isPage || !(error instanceof TypeError) || !navigator.onLine) return undefined
  const origin = originOf(baseUrl)
  return origin === location.origin || allowingOrigins.has(origin) ? undefined : location.origin
}

function originOf(baseUrl: string): string {
  return new URL(baseUrl, location.href).origin
}
