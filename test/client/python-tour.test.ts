// The tour in Python in docs/guide/api.md.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { makeTenant, startService, temporaryDirectory } from '../support/service.ts'

const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0
const skip = hasPython ? false : 'this machine has no python3 of version 3.9 or later'

const [, code] = /^```python\n(.*?)^```/ms.exec(readFileSync('docs/guide/api.md', 'utf8'))!
const script = join(temporaryDirectory(), 'tour.py')
writeFileSync(script, code!)

async function runTour(baseUrl: string, key: string): Promise<string[]> {
  const env = { ...process.env, TENANTDESK_URL: baseUrl, KEY: key }
  return (await promisify(execFile)('python3', [script], { env })).stdout.trimEnd().split('\n')
}

const service = await startService()
const baseUrl = await service.listen()

test('the tour in Python creates, lists and changes records, and can be run again', { skip }, async () => {
  const key = await makeTenant(service.environment, 'acme')
  for (let run = 0; run < 2; run++) {
    const [listed, changed, refused] = await runTour(baseUrl, key)
    assert.equal(listed, 'TD-3 tim@example.com')
    assert.match(changed!, run === 0 ? /^Tim [0-9a-f-]{36}$/ : /^Tim /)
    assert.match(refused!, /^py-hr-3 Some fields are invalid\. .*invalid_email/)
  }
})

test('the tour in Python changes nothing twice when responses are lost', { skip }, async () => {
  let count = 0
  const unreliable = createServer((request, response) => {
    const { method, headers, url } = request
    const isLost = ++count % 2 === 1
    const forwarded = httpRequest(baseUrl.replace('/api/v1', url!), { method, headers }, (answer) => {
      if (isLost) return void answer.resume().on('end', () => response.destroy())
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  })
  await new Promise<void>((resolve) => unreliable.listen(0, '127.0.0.1', resolve))
  after(() => unreliable.close().closeAllConnections())
  const key = await makeTenant(service.environment, 'troubled')
  const { port } = unreliable.address() as AddressInfo
  const [listed] = await runTour(`http://127.0.0.1:${port}/api/v1`, key)
  assert.equal(listed, 'TD-3 tim@example.com')
  const page = await fetch(`${baseUrl}/changes.php`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await page.json()) as { data: { action: string; resource: string }[] }
  const changes = data.map(({ action, resource }) => `${action} ${resource}`)
  assert.deepEqual(changes, [
    'create customers',
    'create employees',
    'create hardware',
    'update employees',
    'create employees',
  ])
})
