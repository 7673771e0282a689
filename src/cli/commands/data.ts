// Commands that import, export and erase data.

import { resources } from '../../domain/declarations/all.ts'
import { erasePersonCommand, eraseTenantCommand } from '../actions/erase.ts'
import { exportTenantCommand } from '../actions/export.ts'
import { importCommand } from '../actions/import.ts'
import type { Command } from '../usage.ts'
import { slug } from './shared.ts'

const resourceNames = resources.map(({ name }) => name)

export const dataCommands: readonly Command[] = [
  {
    words: 'export',
    help: "Writes a tenant's records and history to a zip file, as NDJSON and CSV. On SQLite, the file also contains the tenant's database.",
    arguments: slug,
    options: {
      to: { value: 'FILE.zip', isRequired: true, help: 'an existing file is replaced when the export is complete' },
      json: { help: 'print the manifest: each file with its rows, bytes and SHA-256' },
    },
    examples: ['export acme --to acme.zip'],
    run: exportTenantCommand,
  },
  {
    words: 'erase',
    help: 'Deletes a tenant like `tenant delete`, and everything else about it, including its entries in the security log. One entry without personal data remains; it says how much was erased, when, and by whom.',
    arguments: slug,
    options: {
      yes: { isShownAsRequired: true, help: 'confirms the erasure, which cannot be undone' },
      json: { help: 'print what was erased as JSON' },
    },
    examples: ['erase acme --yes', 'erase acme --yes --json'],
    run: eraseTenantCommand,
  },
  {
    words: 'erase-person',
    help: "Removes an employee's personal data from the record, the history, stored responses and imported files. A marker replaces the data; assignments are kept. The security log records the erasure.",
    arguments: { 'employee id': 'id of the employee, who may already be deleted' },
    options: {
      tenant: { value: '<slug>', isRequired: true, help: "the employee's tenant" },
      yes: { isShownAsRequired: true, help: 'confirms the erasure, which cannot be undone' },
      json: { help: 'print how much was erased as JSON' },
    },
    examples: ['erase-person 7 --tenant acme --yes'],
    run: erasePersonCommand,
  },
  {
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
      'map-file': { value: 'FILE', help: 'file with a TITLE=FIELD on each line; # starts a comment' },
      json: { help: 'print the import as JSON' },
    },
    examples: [
      'import employees employees.csv --tenant acme',
      'import employees employees.csv --tenant acme --run --match email',
      "import hardware list.csv --tenant acme --map 'Inventory number=asset_tag'",
    ],
    run: importCommand,
  },
]
