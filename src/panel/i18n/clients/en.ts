// The English texts that differ for tenants whose customers are called clients.

import type { Texts } from '../index.ts'
import { plural } from '../plural.ts'
import type { ResourceTexts } from '../resources/resource-texts.ts'
import type { Changed } from './changed.ts'

const locale = 'en-GB'

const customers: ResourceTexts = {
  one: 'client',
  many: 'Clients',
  new: 'New client',
  add: 'Add client',
  delete: 'Delete client',
  search: 'Search clients',
  all: 'All clients',
  empty: 'No clients yet',
  emptyHelp: 'Add the companies that you look after.',
  noMatch: 'No matching clients.',
  import: 'Import clients',
  importColumns: 'Import clients: match columns',
  assignments: '',
  count: (count) => plural(locale, count, { one: '# client', other: '# clients' }),
}

export const clients: Changed<Texts> = {
  fields: { customer_id: 'Client', customers_called: 'Name for clients' },
  bulkEdits: { tasks: { move: 'Move to client' }, chooseBranch: 'Choose a client.' },
  closeBranch: {
    link: 'Close client',
    intro:
      'Its people move to another client with everything they hold, and its stock goes to the stock of that client. Nothing is deleted.',
    chooseTarget: 'Choose an active client.',
    thenInactive: 'Then the client becomes inactive. People who have left and hold nothing stay listed there.',
    empty: 'Nothing has to move. The client becomes inactive.',
    back: 'Choose another client',
    changed: 'This client has changed since the preview. This is the current state.',
    alreadyClosed: 'This client is already closed.',
  },
  handOver: { site: 'Client', person: { branch: 'Client' } },
  recordPages: {
    delete: { wayOut: { employees: 'They belong to it. Move them to another client or delete them first.' } },
  },
  search: {
    fieldLabel: 'Search assets, people and clients',
    choose: {
      customers: {
        empty: 'Choose a client.',
        unknown: 'No client matches. Check the spelling, or enter only part of the name.',
        ambiguous: 'Several clients match. Choose one of them.',
      },
    },
  },
  verbs: {
    names: { move: 'Move to client' },
    chooseBranch: 'Choose a client.',
    sameBranch: 'Leave empty to keep it at its client.',
    stockBranchHint: 'Leave empty for the client of the person.',
  },
  resources: { customers, employees: { assignments: 'Client history' } },
}
