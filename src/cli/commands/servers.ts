// Commands for the catalog and for database servers.

import { copyCatalogCommand } from '../actions/catalog.ts'
import { addServerCommand, listServersCommand, removeServerCommand, setServerCommand } from '../actions/servers.ts'
import type { Command, Option } from '../usage.ts'
import { json, jsonArray } from './shared.ts'

const serverName = { name: 'name of the database server' }
const serverUrl = { 'url|-': 'postgres://user@host/database, or - to read it from standard input' }
const offline: Option = { help: 'do not connect to the server to check the URL' }

export const serverCommands: readonly Command[] = [
  {
    words: 'catalog copy',
    help: 'Copies keys, users, settings and the security log from SQLite to PostgreSQL, so that other nodes can share them. Tenants stay in DATA_DIR until they are moved. From the start of the copy, servers respond with 503 until they are restarted with DATABASE_URL.',
    options: {
      to: {
        value: 'URL',
        isRequired: true,
        help: 'URL of an empty database, or - to read it from standard input: other users can see arguments, and the URL may contain a password',
      },
      cancel: { help: 'remove the copy, unless it has changed' },
      json: { help: 'print the number of rows in each table' },
    },
    examples: ['catalog copy --to - < address.txt', 'catalog copy --to - --cancel < address.txt'],
    run: copyCatalogCommand,
  },
  {
    words: 'server add',
    help: 'Adds a PostgreSQL server for tenants.',
    arguments: { ...serverName, ...serverUrl },
    options: { offline, json },
    examples: ['server add big - < address.txt'],
    run: addServerCommand,
  },
  {
    words: 'server set',
    help: 'Changes the URL of a database server. No data is moved.',
    arguments: { ...serverName, ...serverUrl },
    options: { offline, json },
    examples: ['server set big - < address.txt'],
    run: setServerCommand,
  },
  {
    words: 'server list',
    help: 'Lists the database servers and their number of tenants.',
    options: { json: jsonArray },
    examples: ['server list'],
    run: listServersCommand,
  },
  {
    words: 'server remove',
    help: 'Removes a database server without tenants from the catalog. Nothing on the server is changed.',
    arguments: serverName,
    options: { json },
    examples: ['server remove big'],
    run: removeServerCommand,
  },
]
