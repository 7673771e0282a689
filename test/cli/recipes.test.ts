// Runs the recipes for importing data from other products, with files in those products' formats.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { command, type Json, startService, temporaryDirectory } from '../support/service.ts'

const directory = temporaryDirectory()

/** A running server executes the imports. If none were running, each command would first wait for a server. */
const { environment, tenant } = await startService({}, { jobPollIntervalMs: 20 })

/** Runs a recipe's commands in order, with these files, in a new tenant. */
async function runRecipe(recipe: string, files: Record<string, string>): Promise<Json[]> {
  const client = await tenant(recipe)
  const text = readFileSync(`docs/guide/recipes/${recipe}.md`, 'utf8')
  const lines = [...text.matchAll(/^tenantdesk (import .*)$/gm)].map(([, line]) => line!)
  assert.equal(lines.length, Object.keys(files).length)
  for (const line of lines) {
    const words = line.split(' ').map((word) => {
      if (word.endsWith('.map')) return `docs/guide/recipes/${word}`
      if (word === 'acme') return recipe
      if (!(word in files)) return word
      writeFileSync(join(directory, word), files[word]!)
      return join(directory, word)
    })
    const { exitCode, stderr } = await command(environment, ...words, ...(words.includes('--run') ? [] : ['--run']))
    assert.equal(exitCode, 0, `${line}\n${stderr}`)
  }
  return (await client('GET', '/hardware.php?include=employee.customer')).body.data
}

test('the recipe for Snipe-IT imports locations, people and assets, including assets in stock', async () => {
  const assets = await runRecipe('snipe-it', {
    'locations.csv': '"Location Name","Address","City","Country"\n"Head office","1 Main St","Berlin","DE"\n',
    'people.csv':
      '"Name","Email","Username","Employee No.","Title","Department","Location"\n' +
      '"Ada Lovelace","ada@example.com","ada","7","Engineer","R&D","Head office"\n',
    'stock.csv': readFileSync('docs/guide/recipes/snipe-it.md', 'utf8').match(/```csv\n([^`]*)```/)![1]!,
    'assets.csv':
      'ID,"Asset Name","Asset Tag",Model,"Model No.",Manufacturer,Serial,Purchased,Cost,"Checked Out",Type,Username,' +
      'Status,Warranty,"Warranty Expires","Expected Checkin Date",Notes\n' +
      '1,"Laptop of Ada",TD-1,"MacBook Pro",A1,Apple,C02,2026-01-31,"1,499.00","Ada Lovelace",user,ada,' +
      '"Ready to Deploy (Deployed)",36,2029-01-31,2026-12-24,fine\n' +
      '2,Spare,TD-2,"MacBook Pro",A1,Apple,C03,2026-01-31,"1,499.00",,,,"Ready to Deploy (deployable)",,,,\n',
    'not-checked-out.csv':
      'ID,"Asset Name","Asset Tag",Serial,Purchased,Cost,Type,Username,"Warranty Expires","Expected Checkin Date",status,error\n' +
      '2,Spare,TD-2,C03,2026-01-31,"1,499.00",,stock,,,spare,This is required.\n',
  })
  assert.deepEqual(
    assets.map((asset) => [asset.asset_tag, asset.purchase_cost, asset.status, asset.due_back, asset.employee.name]),
    [
      ['TD-1', 149900, 'in_use', '2026-12-24', 'Ada Lovelace'],
      ['TD-2', 149900, 'spare', null, 'Stock room'],
    ],
  )
  assert.equal(assets[0]!.employee.customer.city, 'Berlin')
})

test('the recipe for ITFlow imports clients, contacts and assets', async () => {
  const assets = await runRecipe('itflow', {
    'clients.csv':
      '"Client Name",Industry,Referral,Website,"Location Name","Location Phone","Location Address",City,State,"Postal Code",' +
      'Country,"Contact Name",Title,"Contact Phone",Extension,"Contact Mobile","Contact Email","Hourly Rate",Currency,' +
      '"Payment Terms","Tax ID",Abbreviation\n' +
      'Globex,Energy,,globex.example,Main,"030 1234567","2 Main St",Hamburg,HH,20095,Germany,Hank,CEO,,,,hank@example.com,' +
      '100.00,EUR,30,DE123,GLX\n',
    'contacts.csv':
      'Contact,Client,Name,Title,Department,Email,Phone,Ext,Mobile,Location\n' +
      'Hank Scorpio,Globex,Hank Scorpio,CEO,Board,hank@example.com,"030 1234567",1,,Main\n',
    'assets.csv':
      'Name,Description,Type,Make,Model,"Serial Number","Operating System","Purchase Date","Warranty Expire","Install Date",' +
      '"Assigned To",Location,Notes\n' +
      'WS-1,,Laptop,Dell,XPS,S1,Windows,2026-01-31,2029-01-31,,Hank Scorpio,Main,\n' +
      'WS-2,,Laptop,Dell,XPS,S2,Windows,2026-01-31,2029-01-31,,Nobody,Main,\n',
  })
  assert.deepEqual(
    assets.map((asset) => [asset.name, asset.manufacturer, asset.warranty_end, asset.employee.email]),
    [['WS-1', 'Dell', '2029-01-31', 'hank@example.com']],
  )
  assert.equal(assets[0]!.employee.customer.code, 'GLX')
})
