// Commands for tenants.

import { createTenantsCommand } from '../actions/create-tenants.ts'
import { moveAllTenantsCommand } from '../actions/move-all.ts'
import { tenantStatsCommand } from '../actions/tenant-stats.ts'
import {
  activateTenantCommand,
  compactTenantCommand,
  createTenantCommand,
  deleteTenantCommand,
  listTenantsCommand,
  moveTenantCommand,
  setTenantCommand,
  suspendTenantCommand,
} from '../actions/tenants.ts'
import type { Command } from '../usage.ts'
import { json, jsonArray, slug } from './shared.ts'

export const tenantCommands: readonly Command[] = [
  {
    words: 'tenant create',
    help: 'Creates the tenants that a CSV file lists, all or none of them. Its columns are slug, name and trial_ends; only slug is required.',
    options: {
      from: { value: 'FILE.csv', isRequired: true, help: 'file with a line of titles and a line for each tenant' },
      server: { value: '<name>', help: 'database server for the tenants' },
      json: jsonArray,
    },
    onlyWith: '--from',
    examples: ['tenant create --from customers.csv'],
    run: createTenantsCommand,
  },
  {
    words: 'tenant create',
    help: 'Creates a tenant with an empty database.',
    arguments: slug,
    options: {
      name: { value: 'TEXT', help: 'display name' },
      'trial-ends': { value: 'YYYY-MM-DD', help: 'last day of a trial (UTC); by default, the tenant is not on trial' },
      server: { value: '<name>', help: 'database server for the tenant' },
      json,
    },
    examples: ["tenant create acme --name 'Acme Corp'", 'tenant create globex --trial-ends 2027-01-31'],
    run: createTenantCommand,
  },
  {
    words: 'tenant list',
    help: 'Lists all tenants.',
    options: { json: jsonArray },
    examples: ['tenant list', 'tenant list --json'],
    run: listTenantsCommand,
  },
  {
    words: 'tenant suspend',
    help: 'Rejects all requests of a tenant until the tenant is activated.',
    arguments: slug,
    options: { reason: { value: 'TEXT', help: 'for administrators; the tenant does not see it' }, json },
    examples: ["tenant suspend acme --reason 'Invoice 7 is unpaid'"],
    run: suspendTenantCommand,
  },
  {
    words: 'tenant activate',
    help: 'Ends the suspension or the trial of a tenant.',
    arguments: slug,
    options: { json },
    examples: ['tenant activate acme'],
    run: activateTenantCommand,
  },
  {
    words: 'tenant move',
    help: 'Moves all tenants to a database server, a few at a time. If it is interrupted, repeat the command.',
    options: {
      all: { isRequired: true, help: 'every tenant that is not on the server yet' },
      to: { value: '<server>', isRequired: true, help: 'name of the database server' },
      from: { value: '<server>', help: 'only tenants on this server' },
      'at-once': { value: 'N', help: 'how many tenants are moved at the same time; by default 2' },
      json: { help: 'print an array with the outcome of each tenant' },
    },
    onlyWith: '--all',
    examples: ['tenant move --all --to main', 'tenant move --all --from sqlite --to main --at-once 4'],
    run: moveAllTenantsCommand,
  },
  {
    words: 'tenant move',
    help: 'Moves a tenant to another database server. The tenant stays available, except for a moment at the end.',
    arguments: slug,
    options: { to: { value: '<server>', isRequired: true, help: 'name of the database server' }, json },
    examples: ['tenant move acme --to big'],
    run: moveTenantCommand,
  },
  {
    words: 'tenant delete',
    help: 'Deletes a tenant with all its records and API keys, and the users who have no other tenant.',
    arguments: slug,
    options: { yes: { isShownAsRequired: true, help: 'confirms the deletion' }, json },
    examples: ['tenant delete acme --yes'],
    run: deleteTenantCommand,
  },
  {
    words: 'tenant set',
    help: "Changes a tenant's name, the end of its trial, or how long its history is kept.",
    arguments: slug,
    options: {
      name: { value: 'TEXT', help: 'display name' },
      'trial-ends': { value: 'YYYY-MM-DD', help: 'new last day of the trial (UTC), for a tenant on trial' },
      'history-days': {
        value: 'N|default',
        help: 'number of days for which its history is kept; 0 = for ever; default = HISTORY_RETENTION_DAYS',
      },
      json,
    },
    examples: [
      'tenant set acme --history-days 730',
      'tenant set acme --history-days default',
      'tenant set globex --name Globex --trial-ends 2027-03-31',
    ],
    run: setTenantCommand,
  },
  {
    words: 'tenant stats',
    help: 'Shows how many rows a tenant has, how much space it takes, and how fast its history grows; without a slug, all tenants.',
    arguments: { slug: { help: 'short name of the tenant', isOptional: true } },
    options: { json: jsonArray },
    examples: ['tenant stats', 'tenant stats acme --json'],
    run: tenantStatsCommand,
  },
  {
    words: 'tenant compact',
    help: "Returns a tenant's unused space to the disk, and erases deleted values from the file. Meanwhile, the tenant can be read, but changes may be refused with 503. On PostgreSQL, autovacuum does this.",
    arguments: slug,
    options: { json },
    examples: ['tenant compact acme'],
    run: compactTenantCommand,
  },
]
