// Imports a CSV file.

import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { markTenantDue } from '../../catalog/tables/due-tenants.ts'
import { resources } from '../../domain/declarations/all.ts'
import { sentenceOf } from '../../domain/imports/file/assumptions.ts'
import { shippedMappings } from '../../domain/imports/mappings/shipped/all.ts'
import { importOperations } from '../../domain/imports/operations.ts'
import type { ImportReport, ReportedErrors } from '../../domain/imports/report.ts'
import { type RequestedImport, receiveFile, resolveImport } from '../../domain/imports/start-import.ts'
import { jobOperations } from '../../domain/jobs/operations.ts'
import { productOf } from '../../domain/product.ts'
import { newChangeSet } from '../../domain/records/changes.ts'
import { directEngine } from '../../engine/direct-engine.ts'
import type { Engine } from '../../engine/engine.ts'
import type { TenantLocation } from '../../engine/tenant-databases.ts'
import { readChunks } from '../../lib/files/files.ts'
import { visibleJson } from '../../lib/text.ts'
import { UserError } from '../../lib/user-error.ts'
import { requireTenant } from '../../tenants/tenants.ts'
import { type Command, command, type Terminal } from '../command.ts'
import { withCatalog } from '../context.ts'
import { createProgressBar, type ProgressBar } from '../output.ts'
import { readOptions, throwUserError } from './import-options.ts'

const shippedNames = shippedMappings.map(({ name }) => name).join(', ')

const resourceNames = resources.map(({ name }) => name)

export const importCommands: readonly Command[] = [
  /** Checks a file or imports it, depending on the options. The import is one of the tenant's jobs, so a server
   *  continues it if this process exits. */
  command({
    words: 'import',
    help: 'Checks a CSV file, and with --run imports it. The API reference describes the file format and the columns.',
    arguments: {
      resource: { help: 'customers, employees or hardware', choices: resourceNames },
      file: 'path of the CSV file',
    },
    options: {
      tenant: { value: '<slug>', isRequired: true, help: 'tenant whose records are imported' },
      run: { help: 'import the file if all of its rows are valid' },
      'valid-rows': { help: 'with --run: skip invalid rows' },
      match: { value: 'FIELD', help: 'column that identifies existing records; by default external_id' },
      map: {
        value: '"TITLE=FIELD"',
        isRepeatable: true,
        help: 'assigns a field to a column whose title is not recognized',
      },
      set: {
        value: '"FIELD=VALUE"',
        isRepeatable: true,
        help: 'sets a field of every row that has no value for it, such as customer_code=HQ',
      },
      value: {
        value: '"TITLE|CELL=TEXT"',
        isRepeatable: true,
        help: 'replaces a cell of a column before it is read, such as "Status|Suspended=no"',
      },
      'map-file': { value: 'FILE', help: 'file with a TITLE=FIELD on each line; # and a blank start a comment' },
      amounts: {
        value: 'UNIT',
        help: 'major or minor: the unit of all amounts; by default, the title of their column decides',
      },
      mapping: { value: 'NAME', help: `use a saved mapping, or the one for a program: ${shippedNames}` },
      'save-as': {
        value: 'NAME',
        help: 'save how columns and values are read as a mapping with this name, for the next file',
      },
      json: { help: 'print the import as JSON' },
    },
    examples: [
      'import employees employees.csv --tenant acme',
      'import employees employees.csv --tenant acme --run --match email',
      "import hardware list.csv --tenant acme --map 'Inventory number=asset_tag'",
    ],
    async run({ file: path, tenant: slug, json, ...input }, { config, terminal }) {
      const options = await readOptions(input)
      const report = await withCatalog(config, async (catalog, databases) => {
        const tenant = await requireTenant(catalog, slug)
        const engine = directEngine(databases, productOf(resources))
        const markDue = () => markTenantDue(catalog, tenant.id, new Date())
        const id = await startImport({ engine, markDue }, tenant, path, options).catch(throwUserError)
        using _ = explainInterrupt(id, terminal)
        return await followImport(engine, tenant, id, terminal)
      })
      if (json) terminal.stdout(visibleJson({ ...report, assumptions: report.assumptions.map(sentenceOf) }))
      else print(report, path, terminal)
      const { state, invalid } = report
      if (state === 'failed' || (state === 'checked' && invalid > 0)) throw new UserError(failureOf(report))
    },
  }),
]

/** A running server starts an import within two seconds. If there is no progress for this long, this process runs the
 *  import. */
const fallbackAfterMs = 2000

const pollIntervalMs = 200
const lease = { leaseTtlMs: 5000, budgetMs: 10 }

/** Says at Ctrl-C that only the command ends, because an import that has started is the server's. */
function explainInterrupt(id: number, { progress, stderr }: Terminal): Disposable {
  const explain = () => {
    progress?.('')
    stderr(`Import ${id} is not cancelled: a server continues it, at once or when it starts.`)
    process.kill(process.pid, 'SIGINT') // without this listener, it ends the process
  }
  process.once('SIGINT', explain)
  return { [Symbol.dispose]: () => void process.off('SIGINT', explain) }
}

function failureOf({ invalid, rows, created, updated, state }: ImportReport): string {
  const reason = invalid > 0 ? `${invalid} of ${rows} rows are invalid` : 'The import failed'
  if (state === 'checked' || created + updated === 0) return `${reason}; nothing was imported.`
  return `${reason}; ${created} created and ${updated} updated records could not be reverted.`
}

/** Uploads the file and starts the import. Returns its id. */
async function startImport(
  { engine, markDue }: { engine: Pick<Engine, 'run'>; markDue: () => Promise<void> },
  tenant: TenantLocation,
  path: string,
  requested: RequestedImport,
): Promise<number> {
  const { options, save } = await resolveImport(engine, { tenant, resources }, requested)
  await using file = await open(path)
  const now = () => new Date()
  const caller = { actor: { command: true as const }, requestId: randomUUID() }
  await markDue()
  const upload = { source: () => readChunks(file), options, caller }
  const id = await receiveFile(engine, { tenant, resources }, upload, now)
  await markDue()
  await engine.run(tenant, importOperations.startImport, {
    context: { now: now().toISOString(), ...caller, changeSet: newChangeSet(now()) },
    idempotency: null,
    request: { id, location: '', save },
  })
  return id
}

/** Shows progress until the import has ended. Runs the import in this process if no server does. */
async function followImport(
  engine: Pick<Engine, 'run'>,
  tenant: TenantLocation,
  id: number,
  terminal: Terminal,
): Promise<ImportReport> {
  const token = randomUUID()
  let [shownProgress, shownAt, isWorking] = ['', performance.now(), false]
  let [state, bar]: [string?, ProgressBar?] = []
  for (;;) {
    const report = await engine.run(tenant, importOperations.findImport, { id })
    if (!report) throw new UserError('The import was discarded.')
    const progress = `${report.state} ${report.processed}`
    if (progress !== shownProgress) [shownProgress, shownAt] = [progress, performance.now()]
    if (report.state !== state) [state, bar] = [report.state, createProgressBar(terminal, report.state, 'rows')]
    if (report.finished_at === null) bar?.update(report.processed, report.rows)
    else bar?.end()
    if (report.finished_at !== null && !isWorking) return report
    if (isWorking || performance.now() - shownAt > fallbackAfterMs) {
      isWorking = await runSteps(engine, tenant, token)
      await nextTurn() // so that Ctrl-C is handled between two steps
      if (isWorking) continue
    }
    if (report.finished_at === null) await wait(pollIntervalMs)
  }
}

/** Runs steps of the import for a moment. Returns whether the last step had anything to do. */
async function runSteps(engine: Pick<Engine, 'run'>, tenant: TenantLocation, token: string): Promise<boolean> {
  const end = performance.now() + pollIntervalMs
  for (;;) {
    const turn = { ...lease, token, now: new Date().toISOString() }
    const { ranStep } = await engine.run(tenant, jobOperations.runDueJob, turn)
    if (!ranStep || performance.now() > end) return ranStep
  }
}

function print(report: ImportReport, path: string, { stdout, stderr }: Terminal): void {
  const { id, created, updated, unchanged, invalid, state, summary, assumptions } = report
  for (const assumption of assumptions) stderr(sentenceOf(assumption))
  for (const group of summary) stderr(lineOf(group))
  const done = state === 'checked' ? 'checked, not imported:' : 'imported:'
  stdout(String(id))
  stderr(`${path}: ${done} ${created} created, ${updated} updated, ${unchanged} unchanged, ${invalid} invalid.`)
}

/** One line for equal errors: `Row 3 and 41 more, Land: At least 2 characters.` */
function lineOf({ code, column, field, count, first_row, message }: ReportedErrors): string {
  const more = count > 1 ? ` and ${count - 1} more` : ''
  const subject = column ?? (message === null ? field : null)
  return `Row ${first_row}${more}${subject === null ? '' : `, ${subject}`}: ${message ?? code}`
}
