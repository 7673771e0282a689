// Lists the panel pages that the benchmarks measure.

import { decodeHtml, type Person } from '../../../test/support/panel/panel-client.ts'
import { type DeskSize, deskPerson, deskSerial, deskTag, spareAsset, stayingPerson } from '../seed/seed-desk.ts'

/** `isAfterChange`: an asset is changed before each request. */
export type PanelPage = { name: string; path: string; isAfterChange?: true }

/** This page of a list is measured to show whether later pages cost more than the first. */
const farPage = 100

/** The most assets that a bulk edit checks before its preview is shown. */
const returnedAssets = 200

export async function pagesOfPanel(person: Person, tenant: string, size: DeskSize): Promise<PanelPage[]> {
  const url = (path: string, parameters: Record<string, string | number> = {}) =>
    `${path}?${new URLSearchParams({ tenant, ...(parameters as Record<string, string>) })}`
  const records = (resource: string, parameters: Record<string, string | number> = {}) =>
    url('records.php', { resource, ...parameters })
  const search = (q: string) => url('search.php', { q })
  const [asset, branch] = [Math.floor(size.assets / 2), Math.floor(size.branches / 2)]
  const holder = stayingPerson(size)
  const idGap = Math.floor(size.assets / returnedAssets)
  const assetIds = Array.from({ length: returnedAssets }, (_, index) => String(1 + index * idGap))
  return [
    { name: 'home, after a change', path: url(''), isAfterChange: true },
    { name: 'home', path: url('') },
    { name: 'assets', path: records('hardware') },
    { name: 'assets of a branch', path: records('hardware', { customer_id: branch }) },
    { name: 'assets whose warranty ends in 60 days', path: records('hardware', { warranty: '60d' }) },
    { name: 'assets by name', path: records('hardware', { sort: 'name' }) },
    { name: 'assets by holder', path: records('hardware', { sort: 'employee_name' }) },
    { name: 'assets by branch', path: records('hardware', { sort: 'customer_name' }) },
    { name: 'assets by cost', path: records('hardware', { sort: '-purchase_cost' }) },
    { name: `assets, page ${farPage}`, path: await pathOfPage(person, records('hardware'), farPage) },
    { name: 'people', path: records('employees') },
    { name: 'people by assets', path: records('employees', { sort: '-hardware_count' }) },
    { name: 'branches', path: records('customers') },
    { name: 'branches by assets', path: records('customers', { sort: '-hardware_count' }) },
    { name: 'asset', path: records('hardware', { id: asset }) },
    { name: 'person', path: records('employees', { id: holder }) },
    { name: 'branch', path: records('customers', { id: branch }) },
    { name: 'new asset', path: records('hardware', { new: 1 }) },
    { name: 'assign an asset', path: url('assign.php', { do: 'assign', ids: spareAsset }) },
    { name: 'give a person equipment', path: url('assign.php', { person: holder }) },
    { name: 'offboard a person', path: url('offboard.php', { person: holder }) },
    {
      name: `preview of returning ${returnedAssets} assets`,
      path: await pathOfPreview(person, records('hardware'), assetIds),
    },
    { name: 'search for a serial number', path: search(deskSerial(asset)) },
    { name: 'search for a tag', path: search(deskTag(asset)) },
    { name: 'search for a holder’s name', path: search(deskPerson(holder)) },
    { name: 'search for a word that many assets contain', path: search('thinkpad') },
    { name: 'activity', path: url('activity.php') },
  ]
}

/** Follows the links to the next page, as a user does. Returns the path of page `number`, or of the last page if the
 *  list has fewer pages. */
async function pathOfPage(person: Person, first: string, number: number): Promise<string> {
  let path = first
  for (let page = 1; page < number; page++) {
    const { html } = await person.get(path)
    const next = /rel="next" href="([^"]+)"/.exec(html)
    if (!next) break
    path = decodeHtml(next[1]!)
  }
  return path
}

/** Selects the assets in the list in order to return them. Returns the path of the preview. */
async function pathOfPreview(person: Person, list: string, id: string[]): Promise<string> {
  const { location } = await person.submit(list, { do: 'return', id }, /^bulk_edit/)
  if (location === null) throw new Error('the assets cannot be selected')
  return location
}
