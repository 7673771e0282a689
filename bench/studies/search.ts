// The cost of the panel's search in a tenant with many records, without HTTP: the time that passes on this machine, and the
// processor time of this process and the database's, which does not depend on what else the machine does.
// node bench/studies/search.ts [--rows 100000] [--people 10000] [--postgres]

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { table } from '../../src/cli/output.ts'
import type { Database, Value } from '../../src/database/database.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import { searchOperations } from '../../src/storage/operations/search.ts'
import { indexAll, insertRecords } from '../harness/seed-database.ts'
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

const nameOf = (at: number) =>
  `${firstNames[at % 10]} ${lastNames[Math.floor(at / 10) % 10]}${at < 100 ? '' : ` ${at.toString(36)}`}`

const make: Record<string, (at: number) => Record<string, Value>> = {
  customers: (at) => ({ name: `${cities[at % 10]} ${at} GmbH`, code: `B-${at}`, city: cities[at % 10]! }),
  employees: (at) => ({ customer_id: 1 + (at % branches), name: nameOf(at), email: `e${at}@example.com` }),
  hardware: (at) => ({
    employee_id: 1 + (at % people),
    name: `${['ThinkPad', 'Latitude', 'MacBook', 'Galaxy'][Math.floor(at / people) % 4]} ${(at * 2654435761).toString(36).slice(0, 3)}`,
    type: hardware.fields.type.of[at % 12]!,
    asset_tag: `TD-${String(at).padStart(6, '0')}`,
    serial_number: `R5C-T${(((at + 1) * 2654435761) % 2 ** 32).toString(36)}`,
    manufacturer: ['Lenovo', 'Dell', 'Apple', 'Samsung'][Math.floor(at / people) % 4]!,
    notes: at % 4 === 0 ? 'Bought with an extended warranty for the field service' : null,
  }),
}

await withStudiedTenant('search', options.postgres, async ({ write, read }) => {
  console.log(`${rows} hardware records of ${people} employees of ${branches} customers\n`)
  for (const [name, count] of Object.entries({ customers: branches, employees: people, hardware: rows })) {
    for (let done = 0; done < count; done += 50_000) {
      const size = Math.min(50_000, count - done)
      await write((database) => insertRecords(database, name, size, make[name]!, done + 1))
    }
  }
  await write(async (database) => {
    for (const each of resources)
      await (options.postgres ? database.run(`analyze ${each.name}`) : indexAll(database, each))
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
    ['a first name, of one person in ten', 'jonas'],
    ['an asset of a person', 'jonas weber thinkpad'],
    ['a city, of one branch in ten', 'izmir'],
    ['assets of a city', 'izmir macbook'],
    ['a word of every branch', 'gmbh'],
    ['a word of every branch and one of few assets', 'gmbh r5c-t1z'],
    ['a word of every fourth asset', 'thinkpad'],
    ['two letters', 'td'],
    ['one letter', 'e'],
    ['nothing', 'nowhere'],
    ['no word: the newest', ''],
  ]
  const groups = ['hardware', 'employees', 'customers'].map((resource) => ({ resource, limit: 5 }))
  const backend = options.postgres ? Number((await database.get('select pg_backend_pid() as pid'))!.pid) : undefined
  const lines: string[][] = []
  for (const [name, text] of searches) {
    const [times, processor]: number[][] = [[], []]
    let counts: string[] = []
    const until = performance.now() + 1500
    if (options.postgres) await database.run('savepoint search')
    while (times!.length < 3 || (times!.length < 25 && performance.now() < until)) {
      const [start, used] = [performance.now(), processorTime(backend)]
      const found = await searchOperations.search.run(database, resources, { text, groups, timeoutMs: 60_000 })
      times!.push(performance.now() - start)
      processor!.push(processorTime(backend) - used)
      counts = found.map(({ total, hasMore }) => `${total}${hasMore ? '+' : ''}`)
      if (options.postgres) await database.run('rollback to search') // discards settings that are local to the transaction
    }
    lines.push([name, `“${text}”`, ...counts, median(processor!).toFixed(1), median(times!).toFixed(1)])
  }
  const head = ['a search for', 'text', 'assets', 'people', 'branches', 'processor ms', 'ms']
  console.log(`${table([head, ...lines])}\n`)
}

/** The milliseconds that this process and that of the database have computed. */
function processorTime(backend: number | undefined): number {
  const { user, system } = process.cpuUsage()
  const nanoseconds = backend ? Number(readFileSync(`/proc/${backend}/schedstat`, 'utf8').split(' ')[0]) : 0
  return (user + system) / 1000 + nanoseconds / 1_000_000
}
