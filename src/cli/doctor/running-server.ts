// Checks the server that is running with these settings, and the proxy in front of it.

import { randomUUID } from 'node:crypto'
import { type Config, localOrigin } from '../../config.ts'
import { components, type HealthStatus } from '../../http/health.ts'
import { errorMessageOf } from '../../lib/errors.ts'
import { type Finding, failure, findingsOr, ok, warning } from './finding.ts'

const timeoutMs = 5000

/** A server of another version may report other components. */
type ListedComponent = { component: string; status: HealthStatus; message?: string }

/** Sends a request through the proxy first, so that the server notices if it does not trust the proxy, and reports that
 *  in /readyz. */
export async function checkRunningServer(config: Config): Promise<Finding[]> {
  const proxyFindings = await checkProxy(config)
  return [...(await checkServer(config)), ...proxyFindings]
}

async function checkServer(config: Config): Promise<Finding[]> {
  if (config.PORT === 0) return [ok('server', 'PORT is 0, so a running server cannot be found.')]
  const origin = localOrigin(config)
  let listed: ListedComponent[]
  try {
    const answer = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(timeoutMs) })
    listed = JSON.parse(await answer.text()).components
    if (!Array.isArray(listed)) throw new SyntaxError()
  } catch (error) {
    if (error instanceof SyntaxError) {
      const message = `The program that answers at ${origin} is not a server of this version.`
      return [warning('server', message, 'Check PORT, HOST and the version of the server.')]
    }
    if (!(error instanceof Error && error.name === 'TimeoutError'))
      return [
        warning(
          'server',
          `No server answers at ${origin}.`,
          'Start it (systemctl start tenantdesk), and look at the end of its log.',
        ),
      ]
    const message = `The server at ${origin} did not respond within ${timeoutMs / 1000} s.`
    return [failure('server', message, 'Look at its log and its CPU usage, and restart it.')]
  }
  const notOk = listed.filter(({ status }) => status !== 'ok')
  if (notOk.length === 0) return [ok('server', `The server at ${origin} is ready.`)]
  return notOk.map(({ component, status, message }) => ({
    check: 'server',
    status,
    message: `The server reports ${component}: ${message}`,
    advice: adviceAbout(component),
  }))
}

function adviceAbout(name: string): string {
  const component = new Map<string, { advice: string }>(Object.entries(components)).get(name)
  return component?.advice ?? "Look for the reason in the server's log."
}

async function checkProxy(config: Config): Promise<Finding[]> {
  const { PUBLIC_URL: url, TRUST_PROXY: trust, HOST, API_BASE_PATH } = config
  if (url === '') return checkWithoutUrl(HOST)
  const trustText = 'PUBLIC_URL begins with https, so there is a proxy with TLS, but TRUST_PROXY is not set.'
  return findingsOr(
    ok('proxy', `${url} leads to a Tenantdesk server.`),
    url.startsWith('https:') && trust === false && warning('proxy', trustText, components.proxy.advice),
    await checkAddress(url, API_BASE_PATH),
  )
}

/** Sends a request to the public URL. Returns no finding if Tenantdesk responds as it should. */
async function checkAddress(url: string, basePath: string): Promise<Finding | undefined> {
  const requestId = `doctor-${randomUUID()}`
  try {
    const answer = await fetch(`${url}${basePath}/openapi.json`, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { 'x-request-id': requestId },
      signal: AbortSignal.timeout(timeoutMs),
    })
    return checkAnswer(answer, url, requestId)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
    const text = `PUBLIC_URL cannot be reached from this machine: ${cause || errorMessageOf(error)}.`
    const advice = 'Check that the proxy and the server are running, and check the host name and the certificate.'
    return warning('proxy', text, advice)
  }
}

function checkWithoutUrl(host: string): Finding[] {
  if (/^(localhost|::1|127\..*)$/.test(host))
    return [ok('proxy', 'PUBLIC_URL is not set: the server is for this machine only.')]
  const message = 'HOST accepts connections from other machines, but PUBLIC_URL is not set.'
  return [warning('proxy', message, 'Set PUBLIC_URL to the URL that users see: links and cookies depend on it.')]
}

/** Checks that the response repeats the X-Request-Id of the request, as every response of Tenantdesk does. If the URL
 *  starts with https, also checks for the Strict-Transport-Security header. */
function checkAnswer({ status, headers }: Response, url: string, requestId: string): Finding | undefined {
  if (headers.get('x-request-id') !== requestId) {
    const text = `A program other than Tenantdesk answers at ${url} (status ${status}), or a proxy replaces X-Request-Id.`
    return warning(
      'proxy',
      text,
      'Check where PUBLIC_URL leads, and let the proxy pass X-Request-Id in both directions.',
    )
  }
  if (!url.startsWith('https:') || headers.has('strict-transport-security')) return undefined
  const text = 'Responses lack Strict-Transport-Security.'
  return warning('proxy', text, 'Start the server with the same PUBLIC_URL, and let the proxy pass the header.')
}
