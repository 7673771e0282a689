// The built client in a browser, on a page of another origin than the service.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { openPage } from '../support/panel/browser.ts'
import { makeTenant, startService, temporaryDirectory } from '../support/service.ts'

const built = temporaryDirectory()
execFileSync('npx', ['tsc', '--project', 'client', '--outDir', built])
const files = createServer((request, response) => {
  const isPage = request.url === '/'
  response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript')
  response.end(isPage ? '<title>app</title>' : readFileSync(join(built, basename(request.url!))))
})
await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
after(() => files.close().closeAllConnections())
const origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`

const open = await startService({ CORS_ORIGINS: origin })
const address = await open.listen()
const token = await makeTenant(open.environment, 'acme')
const { page, consoleErrors: errors } = await openPage(origin)

/** Runs statements in a new page, with these variables: `client`, a client of the service at `url`, whose requests fail
 *  at first as without a connection (`failures` times); `reasons` and `messages` of its waits; and `failing`, which
 *  returns what a promise is rejected with. Waits in the page are a hundred times shorter. */
async function inPage(url: string, failures: number, statements: string): Promise<unknown> {
  await page.goto(origin)
  return page.evaluate(`(async () => {
    const { createClient } = await import('./index.js')
    const { setTimeout: wait, fetch: realFetch } = globalThis
    globalThis.setTimeout = (run, milliseconds) => wait(run, milliseconds / 100)
    let failures = ${failures}
    const messages = []
    const client = createClient({
      baseUrl: '${url}',
      key: '${token}',
      fetch: (...request) => (failures-- > 0 ? Promise.reject(new TypeError('no connection')) : realFetch(...request)),
      onWait: ({ error }) => messages.push(error.message),
    })
    const failing = (promise) => promise.then(() => 'no error', ({ name, message }) => [name, message])
    ${statements}
  })()`)
}

const lost = 'The service did not respond'

test('the built client works in a browser', async () => {
  await page.goto(origin)
  const names = await page.evaluate(`(async () => {
    const { createClient } = await import('./index.js')
    const { customers } = createClient({ baseUrl: '${address}', key: '${token}' })
    await customers.create({ name: 'From a browser' })
    const names = []
    for await (const { name } of customers.all()) names.push(name)
    return names
  })()`)
  assert.deepEqual([names, errors], [['From a browser'], []])
})

test('a page whose origin the service does not allow gets an error that names CORS_ORIGINS after five retries', async () => {
  const closed = await startService()
  const url = await closed.listen()
  const statements = 'return [await failing(client.customers.page()), messages.length]'
  const message = `${lost}, or CORS_ORIGINS of the service does not contain ${origin}`
  assert.deepEqual(await inPage(url, 0, statements), [['NoAnswerError', message], 5])
})

test('until its first response, a page may lose the connection five times, and afterwards for as long as any program', async () => {
  const statements = `
    const first = (await client.me()).tenant
    const early = messages.splice(0).length
    failures = 9
    return [first, early, (await client.me()).tenant, messages]`
  assert.deepEqual(await inPage(address, 5, statements), ['acme', 5, 'acme', Array(9).fill(lost)])
})

await page.exposeFunction('setOffline', (isOffline: boolean) => page.context().setOffline(isOffline))

test('a page without a network waits until it has one', async () => {
  const statements = `
    await setOffline(true)
    const reading = client.me()
    const hasRetried = async () => {
      while (messages.length < 8) await new Promise((resolve) => wait(resolve, 10))
    }
    await Promise.race([reading, hasRetried()])
    await setOffline(false)
    return [(await reading).tenant, [...new Set(messages)]]`
  assert.deepEqual(await inPage(address, 0, statements), ['acme', [lost]])
})
