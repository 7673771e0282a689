// The English texts that differ for tenants that call their customers clients.

import type { Texts } from '../index.ts'
import { plural } from '../plural.ts'
import type { TextChanges } from '../replace-texts.ts'
import type { ResourceTexts } from '../resource-texts.ts'

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

export const clients: TextChanges<Texts> = {
  fields: { customer_id: 'Client', customers_called: 'Name for clients' },
  bulkEdits: { tasks: { move: 'Move to client' } },
  closeBranch: {
    insteadOfDeleting:
      'You can close this client instead: its people and stock move to another client, and its history is kept.',
    link: 'Close client',
    intro:
      'The people move to another client with everything they hold, and the stock moves to that client’s stock. Nothing is deleted.',
    chooseTarget: 'Choose an active client.',
    thenInactive: 'The client then becomes inactive. People who have left and hold nothing stay at the closed client.',
    empty: 'There is nothing to move. The client will become inactive.',
    back: 'Choose another client',
    changed: 'This client has changed since the preview. This is the current state.',
    alreadyClosed: 'This client is already closed.',
  },
  handOver: { site: 'Client', person: { branch: 'Client' } },
  recordPages: {
    where: { needsBranch: 'Every asset is in stock at a client, or with a person at a client. Add a client first.' },
    delete: { wayOut: { employees: 'Move these people to another client or delete them first.' } },
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
    inStockElsewhere: 'In stock at another client',
    sameBranch: 'Leave empty to keep the asset at its client. A loan returns to the stock it came from.',
    stockBranchHint: 'Leave empty to use the person’s client. Loans return to the stock they came from.',
  },
  choices: { customers: customers.many },
  resources: { customers, employees: { assignments: 'Client history' } },
}
