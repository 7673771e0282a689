// Measures the panel's search in a tenant with many records, without HTTP. Prints the elapsed time, and
// the CPU time of this process and the database. Other programs on the machine hardly affect CPU time.
// node bench/studies/search.ts [--rows 100000] [--people 10000] [--postgres]

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { table } from '../../src/cli/output.ts'
import type { Database, Value } from '../../src/database/database.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import { searchOperations } from '../../src/storage/operations/records/search.ts'
import { indexAll, insertRecords } from '../harness/seed/seed-database.ts'
import { median, withStudiedTenant } from './start.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    people: { type: 'string', default: '10000' },
    postgres: { type: 'boolean', default: false },
  },
})
const [rows, people] = [Number(options.rows), Number(options.people)]
const branches = Math.ceil(people / 50)

const firstNames = ['Jonas', 'Zeynep', 'Ada', 'İbrahim', 'Søren', 'Chloé', 'Łukasz', 'Aylin', 'Mehmet', 'Ursula']
const lastNames = ['Weber', 'Kaya', 'Lovelace', 'Öztürk', 'Jørgensen', 'Dubois', 'Nowak', 'Şahin', 'Müller', 'Groß']
const cities = ['Berlin', 'İzmir', 'København', 'Lyon', 'Kraków', 'Ankara', 'Hamburg', 'Wien', 'Zürich', 'Gdańsk']

const nameOf = (id: number) =>
  `${firstNames[id % 10]} ${lastNames[Math.floor(id / 10) % 10]}${id < 100 ? '' : ` ${id.toString(36)}`}`

const recordMakers: Record<string, (id: number) => Record<string, Value>> = {
  customers: (id) => ({ name: `${cities[id % 10]} ${id} GmbH`, code: `B-${id}`, city: cities[id % 10]! }),
  employees: (id) => ({ customer_id: 1 + (id % branches), name: nameOf(id), email: `e${id}@example.com` }),
  hardware: (id) => ({
    employee_id: 1 + (id % people),
    name: `${['ThinkPad', 'Latitude', 'MacBook', 'Galaxy'][Math.floor(id / people) % 4]} ${(id * 2654435761).toString(36).slice(0, 3)}`,
    type: hardware.fields.type.of[id % 12]!,
    asset_tag: `TD-${String(id).padStart(6, '0')}`,
    serial_number: `R5C-T${(((id + 1) * 2654435761) % 2 ** 32).toString(36)}`,
    manufacturer: ['Lenovo', 'Dell', 'Apple', 'Samsung'][Math.floor(id / people) % 4]!,
    notes: id % 4 === 0 ? 'Bought with an extended warranty for the field service' : null,
  }),
}

await withStudiedTenant('search', options.postgres, async ({ write, read }) => {
  console.log(`${rows} hardware records, ${people} employees, ${branches} customers\n`)
  for (const [name, count] of Object.entries({ customers: branches, employees: people, hardware: rows })) {
    for (let inserted = 0; inserted < count; inserted += 50_000) {
      const size = Math.min(50_000, count - inserted)
      await write((database) => insertRecords(database, name, size, recordMakers[name]!, inserted + 1))
    }
  }
  await write(async (database) => {
    for (const resource of resources)
      await (options.postgres ? database.run(`analyze ${resource.name}`) : indexAll(database, resource))
  })
  await read(measure)
})

async function measure(database: Database): Promise<void> {
  const searches: [name: string, text: string][] = [
    ['an asset tag', 'TD-004711'],
    ['an asset tag without its punctuation', 'td004711'],
    ['part of a serial number', '-T1z'],
    ['an email address', 'e77@example.com'],
    ['a name', 'ibrahim oztur'],
    ['a first name that one person in ten has', 'jonas'],
    ['an asset and the person who holds it', 'jonas weber thinkpad'],
    ['a city that one branch in ten is in', 'izmir'],
    ['assets in a city', 'izmir macbook'],
    ['a word that every branch contains', 'gmbh'],
    ['a word that every branch contains, and a code that few assets have', 'gmbh r5c-t1z'],
    ['a word that one asset in four contains', 'thinkpad'],
    ['two letters', 'td'],
    ['one letter', 'e'],
    ['a word that no record contains', 'nowhere'],
    ['no word (lists the newest)', ''],
  ]
  const groups = ['hardware', 'employees', 'customers'].map((resource) => ({ resource, limit: 5 }))
  const backend = options.postgres ? Number((await database.get('select pg_backend_pid() as pid'))!.pid) : undefined
  const lines: string[][] = []
  for (const [name, text] of searches) {
    const [times, processorTimes]: number[][] = [[], []]
    let counts: string[] = []
    const until = performance.now() + 1500
    if (options.postgres) await database.run('savepoint search')
    while (times!.length < 3 || (times!.length < 25 && performance.now() < until)) {
      const [start, processorTimeAtStart] = [performance.now(), processorTime(backend)]
      const groupResults = await searchOperations.search.run(database, resources, { text, groups, timeoutMs: 60_000 })
      times!.push(performance.now() - start)
      processorTimes!.push(processorTime(backend) - processorTimeAtStart)
      counts = groupResults.map(({ total, hasMore }) => `${total}${hasMore ? '+' : ''}`)
      // Discards settings that are local to the transaction.
      if (options.postgres) await database.run('rollback to search')
    }
    lines.push([name, `“${text}”`, ...counts, median(processorTimes!).toFixed(1), median(times!).toFixed(1)])
  }
  const head = ['a search for', 'text', 'assets', 'people', 'branches', 'CPU ms', 'ms']
  console.log(`${table([head, ...lines])}\n`)
}

/** Returns the CPU time that this process and the database's backend process have used so far, in milliseconds. */
function processorTime(backend: number | undefined): number {
  const { user, system } = process.cpuUsage()
  const nanoseconds = backend ? Number(readFileSync(`/proc/${backend}/schedstat`, 'utf8').split(' ')[0]) : 0
  return (user + system) / 1000 + nanoseconds / 1_000_000
}
