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
