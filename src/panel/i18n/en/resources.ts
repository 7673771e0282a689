// English texts about resources.

import type { DeclaredResource } from '../../../domain/declarations/all.ts'
import { plural } from '../plural.ts'
import type { ResourceTexts } from '../resource-texts.ts'

const locale = 'en-GB'

const branches: ResourceTexts = {
  one: 'branch',
  many: 'Branches',
  new: 'New branch',
  add: 'Add branch',
  delete: 'Delete branch',
  search: 'Search branches',
  all: 'All branches',
  empty: 'No branches yet',
  emptyHelp: 'Add the companies, branches or sites that you look after.',
  noMatch: 'No matching branches.',
  import: 'Import branches',
  importColumns: 'Import branches: match columns',
  assignments: '',
  count: (count) => plural(locale, count, { one: '# branch', other: '# branches' }),
}

const people: ResourceTexts = {
  one: 'person',
  many: 'People',
  new: 'New person',
  add: 'Add person',
  delete: 'Delete person',
  search: 'Search people',
  all: 'All people',
  empty: 'No people yet',
  emptyHelp: 'Add people so that you can assign equipment to them.',
  noMatch: 'No matching people.',
  import: 'Import people',
  importColumns: 'Import people: match columns',
  assignments: 'Branch history',
  count: (count) => plural(locale, count, { one: '# person', other: '# people' }),
}

const assets: ResourceTexts = {
  one: 'asset',
  many: 'Assets',
  new: 'New asset',
  add: 'Add asset',
  delete: 'Delete asset',
  search: 'Search assets',
  all: 'All assets',
  empty: 'No assets yet',
  emptyHelp: 'Add your first laptop, phone or monitor, or import a spreadsheet.',
  noMatch: 'No matching assets.',
  import: 'Import assets',
  importColumns: 'Import assets: match columns',
  assignments: 'Assignment history',
  count: (count) => plural(locale, count, { one: '# asset', other: '# assets' }),
}

export const resourceTexts = { customers: branches, employees: people, hardware: assets } satisfies Record<
  DeclaredResource['name'],
  ResourceTexts
>

/** For resources without specific texts. */
export const recordTexts: ResourceTexts = {
  one: 'record',
  many: 'Records',
  new: 'New record',
  add: 'Add record',
  delete: 'Delete record',
  search: 'Search records',
  all: 'All records',
  empty: 'No records yet',
  emptyHelp: '',
  noMatch: 'No matching records.',
  import: 'Import records',
  importColumns: 'Import records: match columns',
  assignments: 'Assignment history',
  count: (count) => plural(locale, count, { one: '# record', other: '# records' }),
}
