// Compressed responses (contract §27): encodings, short bodies, entity tags, and clients that decompress by themselves.

import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { compressStream } from '../../src/http/send-body.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/servers/free-port.ts'
import { makeTenant, networkClient, startService, temporaryDirectory } from '../support/service.ts'

const service = await startService({ CORS_ORIGINS: 'https://app.example.com' }, { nodes: 1 })
const url = await service.listen()
const token = await makeTenant(service.environment, 'acme')
const acme = service.client(token)
const operations = Array.from({ length: 250 }, (_, index) => ({
  method: 'POST',
  resource: 'customers',
  body: { name: `Branch ${index} Çelik`, external_id: `b-${index}`, notes: 'x'.repeat(800) },
}))
await acme('POST', '/bulk.php', { operations })
await acme('POST', '/customers.php', { name: 'Short' })

const decode = { zstd: zlib.zstdDecompressSync, br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync } as const
type Encoding = keyof typeof decode
const encodings = Object.keys(decode) as Encoding[]

type Received = { status: number; headers: IncomingHttpHeaders; bytes: Buffer }

/** Sends a request as it is, and does not decompress the response. */
async function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Received> {
  const sent = request(path.startsWith('/') ? url + path : path, {
    method,
    headers: { authorization: `Bearer ${token}`, connection: 'close', ...headers },
  })
  sent.end(body)
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) }
}

const get = (path: string, accepted?: string) =>
  send('GET', path, accepted === undefined ? {} : { 'accept-encoding': accepted })

const paths = [
  '/customers.php',
  '/customers.php?limit=200',
  '/customers.php?format=csv',
  '/customers.php?format=ndjson',
  '/changes.php',
  '/openapi.json',
  '/',
]

test('JSON, CSV and NDJSON are sent in the encoding that the client accepts, with the same text and ETag', async () => {
  for (const path of paths) {
    const plain = await get(path)
    assert.equal(plain.headers['content-encoding'], undefined, path)
    assert.match(plain.headers.vary!, /Accept-Encoding/, path)
    for (const encoding of encodings) {
      const { status, headers, bytes } = await get(path, encoding)
      assert.deepEqual([status, headers['content-encoding']], [200, encoding], `${path} ${encoding}`)
      assert.match(headers.vary!, /Accept-Encoding/)
      assert.deepEqual([headers.etag, headers['content-type']], [plain.headers.etag, plain.headers['content-type']])
      assert.doesNotMatch(headers.etag ?? '', /^W/)
      assert.ok(bytes.length < plain.bytes.length / 2, `${bytes.length} of ${plain.bytes.length}`)
      assert.equal(decode[encoding](bytes).toString(), plain.bytes.toString())
    }
  }
})

test('responses of less than 1 KiB are not compressed, and without Accept-Encoding nothing is', async () => {
  const fields = 'fields=id&format'
  for (const path of [
    '/customers.php?id=251',
    '/me.php',
    `/customers.php?${fields}=csv`,
    `/customers.php?${fields}=ndjson&id[in]=1`,
  ]) {
    const { headers } = await get(path, 'gzip, br, zstd')
    assert.equal(headers['content-encoding'], (await get(path)).bytes.length < 1024 ? undefined : 'zstd', path)
  }
  const record = '/customers.php?external_id=edge'
  const sizeWith = async (notes: string) => {
    await acme('PUT', record, { name: 'Edge', notes })
    return (await get(record)).bytes.length
  }
  const rest = 1024 - (await sizeWith('x')) + 1
  assert.equal(await sizeWith('x'.repeat(rest - 1)), 1023)
  assert.equal((await get(record, 'gzip')).headers['content-encoding'], undefined)
  assert.equal(await sizeWith(`ü${'x'.repeat(rest - 2)}`), 1024)
  assert.equal((await get(record, 'gzip')).headers['content-encoding'], 'gzip')
})

test('the client’s weights decide on the encoding', async () => {
  const choices: [accepted: string, chosen: string | undefined][] = [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=1, br;q=0.5, zstd;q=0.1', 'gzip'],
    ['gzip;q=0.4,br ; q=0.5 ,zstd;Q=0', 'br'],
    ['*', 'gzip'],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['gzip;q=0, *', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['gzip;q=none', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['deflate, compress, xgzip', undefined],
    ['', undefined],
  ]
  for (const [accepted, chosen] of choices) {
    for (const path of ['/customers.php', '/customers.php?format=csv', '/openapi.json']) {
      const { headers, status } = await get(path, accepted)
      assert.deepEqual([status, headers['content-encoding']], [200, chosen], accepted)
    }
  }
})

test('HEAD has the headers of GET, and errors and answers to changes are compressed as well', async () => {
  for (const path of ['/customers.php', '/customers.php?format=csv', '/openapi.json']) {
    const head = await send('HEAD', path, { 'accept-encoding': 'br' })
    assert.equal(head.bytes.length, 0)
    const { headers } = await get(path, 'br')
    for (const name of ['content-encoding', 'vary', 'etag', 'content-type'] as const)
      assert.equal(head.headers[name], headers[name])
  }
  const unknown = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`unknown_${index}`, 1])))
  const strict = { 'content-type': 'application/json', 'accept-encoding': 'br', prefer: 'handling=strict' }
  const invalid = await send('POST', '/customers.php', strict, unknown)
  assert.deepEqual([invalid.status, invalid.headers['content-encoding']], [422, 'br'])
  assert.equal(JSON.parse(decode.br(invalid.bytes).toString()).error.code, 'validation_failed')
  const head = { 'content-type': 'application/json', 'accept-encoding': 'zstd' }
  const body = JSON.stringify({
    operations: operations.map((each) => ({ ...each, body: { ...each.body, external_id: null } })),
  })
  const bulk = await send('POST', '/bulk.php', head, body)
  assert.deepEqual([bulk.status, bulk.headers['content-encoding']], [200, 'zstd'])
  assert.equal(JSON.parse(decode.zstd(bulk.bytes).toString()).succeeded, 250)
})

test('one ETag revalidates every encoding, and 304 also has Vary', async () => {
  for (const path of ['/customers.php', '/openapi.json', '/docs']) {
    const address = path === '/docs' ? new URL('/docs', url).href : path
    const { headers } = await send('GET', address, { 'accept-encoding': 'gzip' })
    for (const accepted of ['zstd', 'identity']) {
      const { status, headers: sent } = await send('GET', address, {
        'accept-encoding': accepted,
        'if-none-match': headers.etag!,
      })
      assert.equal(status, 304, path)
      assert.match(sent.vary!, /Accept-Encoding/)
    }
  }
})

test('Vary also names the origin if the server allows CORS', async () => {
  const { headers } = await send('GET', '/customers.php', {
    'accept-encoding': 'gzip',
    origin: 'https://app.example.com',
  })
  assert.match(headers.vary!, /Origin/)
  assert.match(headers.vary!, /Accept-Encoding/)
})

test('panel pages are never compressed, because they contain secrets beside words from the URL', async () => {
  const { headers, bytes } = await send('GET', new URL('/login.php', url).href, { 'accept-encoding': 'gzip, br, zstd' })
  assert.ok(bytes.length > 1024)
  assert.equal(headers['content-encoding'], undefined)
})

test('a compressed stream passes on each part before the next one has been read', async () => {
  const decoders = { zstd: zlib.createZstdDecompress, br: zlib.createBrotliDecompress, gzip: zlib.createGunzip }
  for (const encoding of encodings) {
    const source = new PassThrough()
    const decoded = compressStream(source, encoding).pipe(decoders[encoding]())
    for (const part of ['first page\n', 'second page\n']) {
      source.write(part)
      const [received] = await once(decoded, 'data')
      assert.equal(String(received), part, encoding)
    }
    source.end()
    await once(decoded.resume(), 'end')
  }
})

test('fetch and curl --compressed decompress lists and exports', async () => {
  const client = networkClient(url, token)
  const plain = await get('/customers.php?limit=200')
  const list = await client('GET', '/customers.php?limit=200', undefined, { 'accept-encoding': 'zstd, br, gzip' })
  assert.deepEqual([list.text, list.headers.etag], [plain.bytes.toString(), plain.headers.etag])
  if (spawnSync('curl', ['--version']).status !== 0) return
  for (const path of ['/customers.php?limit=200', '/customers.php?format=csv']) {
    const line = ['-sg', '--compressed', '-D', '-', '-H', `Authorization: Bearer ${token}`, url + path]
    const { stdout } = await promisify(execFile)('curl', line, { maxBuffer: 2 ** 24 })
    assert.match(stdout, /^content-encoding: /im)
    assert.equal(stdout.slice(stdout.indexOf('\r\n\r\n') + 4), (await get(path)).bytes.toString())
  }
})

test('a tag that a proxy has weakened is accepted in If-Match if it otherwise equals the record’s tag', async () => {
  const path = '/customers.php?id=1'
  const { etag } = (await acme('GET', path)).headers
  const put = (ifMatch: string) => acme('PUT', path, { city: `c${Math.random()}` }, { 'if-match': ifMatch })
  const stale = await put(`W/${etag}`)
  assert.equal(stale.status, 200)
  assert.equal((await put(`W/${etag}`)).status, 412)
  assert.equal((await put(`"other", W/${stale.headers.etag}`)).status, 200)
  assert.equal((await put('W/"other"')).status, 412)
  const withIncludes = await acme('POST', '/employees.php', { customer_id: 1, email: 'a@b.c' })
  const one = `/employees.php?id=${withIncludes.body.id}`
  const tag = (await acme('GET', `${one}&include=customer`)).headers.etag!
  assert.equal((await acme('PUT', one, { name: 'Ada' }, { 'if-match': `W/${tag}` })).status, 200)
  const again = (await acme('GET', one)).headers.etag!
  assert.equal((await acme('DELETE', one, undefined, { 'if-match': `W/${again}` })).status, 200)
  const settings = (await acme('GET', '/settings.php')).headers.etag!
  const changed = await acme('PUT', '/settings.php', { currency: 'EUR' }, { 'if-match': `W/${settings}` })
  assert.equal(changed.status, 200)
})

const skip = spawnSync('nginx', ['-v']).status !== 0 && 'nginx is not installed'

test('through a proxy that compresses, a record can be read and then changed with its ETag', { skip }, async () => {
  const port = await freePort()
  const folder = temporaryDirectory()
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const site = `listen 127.0.0.1:${port}; location / { proxy_pass ${new URL(url).origin}; proxy_set_header Accept-Encoding ""; }`
  const gzip = 'gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any; gzip_http_version 1.0;'
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `${user} pid ${folder}/pid; daemon off; events {} http { access_log off; ${kinds.join(' ')} ${gzip} server { ${site} } }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
  after(() => child.kill('SIGTERM'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const address = `http://127.0.0.1:${port}/api/v1/customers.php?id=2`
  const found = await eventually('nginx answers', () => fetch(address, { headers }).catch(() => null))
  const etag = found.headers.get('etag')!
  assert.match(etag, /^W\/"/)
  assert.equal(found.headers.get('content-encoding'), 'gzip')
  const put = (city: string) =>
    fetch(address, { method: 'PUT', headers: { ...headers, 'if-match': etag }, body: JSON.stringify({ city }) })
  assert.equal((await put('Bern')).status, 200)
  assert.equal((await put('Bonn')).status, 412)
})
