// Synchronizes a tenant's employees with an HR system, and prints the changes that others have made since the last run:
//   URL=http://127.0.0.1:8080/api/v1 KEY=tdk_… npx node docs/guide/sync-employees.ts people.json
// people.json: [{"id": "hr-12", "name": "Lin", "email": "lin@example.com", "branch": "erp-7"}, …]
// The key requires the scopes employees:read, employees:write, customers:read and changes:read.

import { readFile, writeFile } from 'node:fs/promises'
import { createClient, type EmployeeChanges } from '../../client/index.ts'

type Person = { id: string; name: string; email: string; branch: string }

const { URL: baseUrl, KEY: key } = process.env
const file = process.argv[2]
if (!baseUrl || !key || !file) {
  console.error('Set URL and KEY, and give the file with the people: sync-employees.ts people.json')
  process.exit(2)
}

const stateFile = 'sync-state.json'
const onWait = ({ seconds, reason }: { seconds: number; reason: string }) =>
  console.error(`Waiting for ${Math.ceil(seconds)} seconds: ${reason}`)
const tenantdesk = createClient({ baseUrl, key, onWait })
const people: Person[] = JSON.parse(await readFile(file, 'utf8'))
const members = ['id', 'name', 'email', 'branch'] as const
const isPerson = (each: Person | null) => members.every((name) => typeof each?.[name] === 'string')
if (!Array.isArray(people) || people.length === 0 || !people.every(isPerson)) {
  console.error(`${file} must be a list of people, each with ${members.join(', ')} as text. Nothing was changed.`)
  process.exit(2)
}

const { since }: { since?: number } = JSON.parse(await readFile(stateFile, 'utf8').catch(() => '{}'))

// Reads all active employees in one request, so that only the differences have to be sent.
const known = new Map<string, { name: string | null; email: string; branch: string | null | undefined }>()
for await (const { external_id, name, email, customer } of tenantdesk.employees.export({
  format: 'ndjson',
  'external_id[null]': false,
  is_active: true,
  include: ['customer'],
})) {
  known.set(external_id!, { name, email, branch: customer.external_id })
}

const changes: (EmployeeChanges & { external_id: string })[] = []
for (const { id, name, email, branch } of people) {
  const before = known.get(id)
  known.delete(id)
  if (before?.name === name && before.email === email && before.branch === branch) continue
  changes.push({ external_id: id, name, email, customer_external_id: branch, is_active: true })
}
for (const id of known.keys()) changes.push({ external_id: id, is_active: false }) // they have left

// Sends 1,000 changes per request. An invalid person does not stop the others; a failed request ends the run.
for await (const each of tenantdesk.employees.upsertMany(changes)) {
  if (each.outcome !== 'failed') continue
  const { error, errors = {} } = each.failure
  console.error(`${each.given.external_id}: ${error.message} ${JSON.stringify(errors)}`)
  process.exitCode = 1
}

await writeFile(
  stateFile,
  JSON.stringify({ since: since === undefined ? await findLatest() : await printChanges(since) }),
)

/** The first run prints no changes: the next one starts with those after the newest. */
async function findLatest(): Promise<number> {
  return (await tenantdesk.changes.page({ order: 'desc', limit: 1 })).page.latest
}

/** Prints the changes that others have made after this one. Returns the number of the newest change. */
async function printChanges(since: number): Promise<number> {
  const { key } = await tenantdesk.me()
  let latest = since
  for await (const change of tenantdesk.changes.all({ since, resource: 'employees', limit: 200 })) {
    latest = change.seq
    if (change.api_key_id !== key.id) console.log(JSON.stringify(change))
  }
  return latest
}
