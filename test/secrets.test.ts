// The server log and the commands' output never contain a secret.

import assert from 'node:assert/strict'
import { globSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { cheapPasswords } from './support/cheap-passwords.ts'
import { eventually } from './support/eventually.ts'
import { createPanelUser, formsIn, openBrowser, password, setupToken, signIn } from './support/panel/panel-client.ts'
import { wordsOf } from './support/program.ts'
import { command, networkClient, startProcess, temporaryDirectory } from './support/service.ts'

const directory = temporaryDirectory()
const [logPath, csvPath, passphrasePath] = ['log', 'people.csv', 'passphrase'].map((name) => join(directory, name)) as [
  string,
  string,
  string,
]
const settings = {
  DATA_DIR: join(directory, 'data'),
  DATABASE_URL: '',
  API_KEY_PEPPER: `1:${'pepper-of-this-test'.padEnd(40, 'x')}`,
  METRICS_TOKEN: 'metrics-token-of-this-test',
  BACKUP_PASSPHRASE: 'passphrase-of-this-test',
  LOG_LEVEL: 'trace',
  SERVER_TIMING: 'true',
}
const server = await startProcess(
  { ...settings, NODE_OPTIONS: cheapPasswords },
  { nodes: 1, log: openSync(logPath, 'a') },
)
const { origin, port } = new URL(server.url)
const commandOutputs: string[] = []

/** Runs a command and stores its output, but not its standard output if that contains a secret on purpose. */
async function run(line: string, printsSecret = false): Promise<string> {
  const { stdout, stderr } = await command({ ...settings, PORT: port }, ...wordsOf(line))
  commandOutputs.push(stderr, ...(printsSecret ? [] : [stdout]))
  return stdout.trim()
}

/** The secrets by description. */
const secrets = new Map<string, string>()

test('the server log and the output of commands contain no key, password, token, pepper, cookie or passphrase', async () => {
  await run('tenant create acme')
  const key = await run("key create acme --scope '*:read' --scope '*:write'", true)
  await useApi(key)
  await usePanel()
  await useCommands(key)
  await sendMalformedRequests(key)
  // Each part appears in a different kind of log line. The requests and commands above must cause all kinds.
  for (const part of ['"msg":"request"', '"user":', '"key":', '"trace_id":', 'malformed'])
    await eventually(`the log contains ${part}`, () => readFileSync(logPath, 'utf8').includes(part))
  await server.end('SIGTERM')

  secrets.set('an API key', key.slice(14))
  secrets.set('the pepper', settings.API_KEY_PEPPER.slice(2))
  secrets.set('the metrics token', settings.METRICS_TOKEN)
  secrets.set('the backup passphrase', settings.BACKUP_PASSPHRASE)
  secrets.set('a password', password)
  const log = readFileSync(logPath, 'utf8')
  // The server prints the link for the first administrator on purpose. The link works once, within half an hour.
  const stderr = server.stderr().replaceAll(/setup\.php#token=\S+/g, '')
  assert.ok(secrets.size >= 14, String(secrets.size))
  for (const [description, secret] of secrets) {
    assert.ok(secret.length >= 6, description)
    for (const text of [log, stderr, ...commandOutputs])
      assert.ok(
        !text.includes(secret),
        `${description} is in: ${text.split('\n').find((line) => line.includes(secret))}`,
      )
  }
})

async function useApi(key: string): Promise<void> {
  const acme = networkClient(server.url, key)
  const person = { name: 'Head office', email: 'mail-of-a-person@example.com', notes: 'notes-of-a-person' }
  secrets.set('an email address in a record', person.email)
  secrets.set('a note in a record', person.notes)
  const { body: customer } = await acme('POST', '/customers.php', person)
  const operations = Array.from({ length: 200 }, () => ({ method: 'POST', resource: 'customers', body: person }))
  await acme('POST', '/bulk.php', { operations })
  await acme('GET', `/customers.php?q=${person.email}&email=${person.email}`)
  await acme(
    'PUT',
    `/customers.php?id=${customer.id}`,
    { notes: 'n' },
    { 'x-request-id': `of ${key}`.replace(' ', '-') },
  )
  await acme('GET', `/changes.php?key=${key}`)
  await acme('GET', `/${key}`)
  await acme('GET', '/customers.php', undefined, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` })
  await networkClient(server.url, key.slice(0, -1))('GET', '/customers.php')
  const metrics = (authorization: string) => fetch(`${origin}/metrics`, { headers: { authorization } })
  assert.equal((await metrics(`Bearer ${settings.METRICS_TOKEN}`)).status, 200)
  await metrics(`Bearer ${settings.METRICS_TOKEN}-not`)
}

async function usePanel(): Promise<void> {
  const token = await setupToken(settings)
  secrets.set('the token of a set-up link', token)
  await openBrowser(origin).get(`setup.php?token=${token}`)
  await openBrowser(origin).open(token)
  await createPanelUser(settings, 'root@example.com')
  const wrongPassword = 'a-wrong-password-of-somebody'
  secrets.set('a wrong password', wrongPassword)
  await openBrowser(origin).submit('login.php', { email: 'root@example.com', password: wrongPassword })
  const mistypedPassword = 'password-in-the-wrong-field'
  secrets.set('a password typed into the email field', mistypedPassword)
  await openBrowser(origin).submit('login.php', { email: mistypedPassword, password: 'x' })
  const root = await signIn(origin, 'root@example.com')
  secrets.set('a session', root.cookies.get('tenantdesk')!)
  const [form] = formsIn((await root.get('profile.php')).html)
  secrets.set('a form token', new Map(form!.fields).get('form_token')!)
  const setUpPage = (await root.get('profile.php?second_factor=1')).html
  secrets.set(
    'the secret of a second factor',
    /secret=([A-Z2-7]{16,})/.exec(setUpPage)?.[1] ?? /\b([A-Z2-7]{32})\b/.exec(setUpPage)?.[1] ?? '',
  )
  await root.get('records.php?tenant=acme&resource=customers&q=search-of-a-person')
  secrets.set('a search', 'search-of-a-person')
  await root.post(
    'records.php?tenant=acme&resource=customers',
    new URLSearchParams({ form_token: 'forged-form-token' }),
  )
  secrets.set('a forged form token', 'forged-form-token')
}

async function useCommands(key: string): Promise<void> {
  writeFileSync(csvPath, 'name,email,customer_id\nAda,mail-of-an-import@example.com,1\n')
  writeFileSync(passphrasePath, settings.BACKUP_PASSPHRASE)
  secrets.set('an email address in a file', 'mail-of-an-import@example.com')
  secrets.set('the password of a database server', 'password-of-a-server')
  for (const line of [
    'tenant list',
    'tenant stats',
    'key list acme',
    'user list --json',
    'user sessions root@example.com --json',
    'events',
    'events --json',
    'server add big postgres://tenantdesk:password-of-a-server@127.0.0.1:9/none --offline',
    'server add dead postgres://tenantdesk:password-of-a-server@127.0.0.1:9/none',
    'server list',
    `import employees ${csvPath} --tenant acme --run --match email`,
    `export acme --to ${join(directory, 'acme.zip')}`,
    `backup --to ${join(directory, 'backups')}`,
    `backup acme --to ${join(directory, 'backups')} --passphrase-file ${passphrasePath}`,
    `verify ${join(directory, 'backups')}`,
    'config',
    'config --json',
    'doctor',
    'doctor --json',
    `key revoke ${key.slice(4, 14)}`,
    'tenant move acme --to big',
  ])
    await run(line)
  assert.ok(globSync(`${directory}/backups/*`).length > 0)
}

/** Sends malformed requests that contain the key. */
async function sendMalformedRequests(key: string): Promise<void> {
  for (const request of [
    `GET /${key} HTTP/9.9\r\n\r\n`,
    `GET / HTTP/1.1\r\nAuthorization: Bearer ${key}\r\nhost: a\r\nhost: b\r\n\r\n`,
    `GET /customers.php?${key} HTTP/1.1\r\nx: ${key.repeat(400)}\r\n\r\n`,
    `${key}\r\n\r\n`,
  ]) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    socket.end(request)
    await new Promise((resolve) => socket.once('close', resolve).resume())
  }
}
