// Renders the options for the search field in the top bar: records, pages, actions and other tenants.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { fold, wordsOf } from '../../../domain/search/fold.ts'
import { highlight } from '../../components/highlight.ts'
import { type IconName, icon } from '../../components/icons.ts'
import { entriesOf, settingsOf } from '../../frame/navigation.ts'
import { currentPlace, type Place } from '../../frame/place.ts'
import { readTenantChoices } from '../../frame/tenant-switcher.ts'
import { newLinks } from '../../frame/top-bar.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { allGroups, findRecords, type Result, searchedText, toResult } from './find.ts'

/** The palette shows at most `maxRecords` records per resource, and at most `maxOffers` actions, pages and tenants.
 *  Once the user has typed something, the palette shows up to `extraOffers` more of these. */
const [maxRecords, maxOffers, extraOffers] = [3, 7, 4]

type Offer = { to: string; label: string; icon: IconName }

/** If the request is not about a tenant, the options do not include records. */
export async function showPalette(request: SignedInRequest | TenantRequest): Promise<PageResponse> {
  const text = searchedText(request)
  const words = wordsOf(text)
  const records = 'tenant' in request && text !== '' ? await recordOptions(request, text) : []
  const offers = [...(await pages(request)), ...(await tenants(request))]
  const fitting = offers.filter(({ label }) => words.every((word) => fold(label).includes(word)))
  const shownOffers = fitting.slice(0, text === '' ? maxOffers : maxOffers + extraOffers)
  const last = text === '' ? [] : [allResultsOption(request, text)]
  const options = [
    ...records,
    ...shownOffers.map((offer) => option(offer.to, offer.icon, highlight(offer.label, words))),
    ...last,
  ]
  const count = records.length + shownOffers.length
  const announcement = request.texts.search.offers(count)
  const body = html`!${options}<li role="presentation" class="announcement">${announcement}</li>`
  return { kind: 'fragment', body }
}

/** Records that the text identifies or names come first, whatever their kind. */
async function recordOptions(request: TenantRequest, text: string): Promise<string[]> {
  const { deps, texts, resources } = request
  const foundGroups = await findRecords(deps, request, text, allGroups(deps, maxRecords))
  const options = foundGroups.flatMap(({ resource: name, records, exactMatches, titleMatches }) =>
    records.map((record) => {
      const result: Result = toResult({ deps, texts, resource: resourceNamed(resources, name), text }, record)
      const label = html`<span>!${result.titleHtml}</span><small>!${result.detailsHtml}</small>`
      const isMeant = exactMatches.includes(record) || titleMatches.includes(record)
      return { isMeant, html: option(recordUrl(request, name, record.id), result.icon, label) }
    }),
  )
  return options.toSorted((one, other) => Number(other.isMeant) - Number(one.isMeant)).map((each) => each.html)
}

function option(to: string, name: IconName, labelHtml: string): string {
  return html`<li role="option" data-to="${to}">!${icon(name)}<span class="result">!${labelHtml}</span></li>`
}

/** Returns the actions and pages to which the user has access. */
async function pages(request: SignedInRequest): Promise<Offer[]> {
  const place = currentPlace(request)
  const { texts } = request
  const settings = place?.canWrite ? settingsOf(request, texts) : []
  return [
    ...actions(request, place),
    ...entriesOf(request, place),
    ...settings.map(([to, label]): Offer => ({ to: pageUrl(to, place!.params), label, icon: 'settings' })),
    { to: pageUrl('profile.php', { tenant: place?.params.tenant }), label: texts.layout.profile, icon: 'person' },
  ]
}

/** Returns the most frequent action first. Pages that require a person or a branch ask the user to choose one. */
function actions(request: SignedInRequest, place: Place | null): Offer[] {
  if (!place?.canWrite) return []
  const { texts } = request
  const { records, imports } = newLinks(request, place)
  const additions = records.map(({ to, label }): Offer => ({ to, label, icon: 'add' }))
  const page = (path: string, label: string, icon: IconName): Offer => ({
    to: pageUrl(path, place.params),
    label,
    icon,
  })
  return [
    ...additions.slice(0, 1),
    page('assign.php', texts.verbs.give, 'assign'),
    ...additions.slice(1),
    page('offboard.php', texts.verbs.offboard, 'leave'),
    { to: imports.to, label: imports.label, icon: 'import' },
    page('hand_over.php', texts.handOver.link, 'print'),
    page('close_branch.php', texts.closeBranch.link, 'leave'),
  ]
}

async function tenants(request: SignedInRequest): Promise<Offer[]> {
  const choices = await readTenantChoices(request)
  const current = currentPlace(request)?.slug
  return choices
    .filter(({ slug }) => slug !== current)
    .map(({ slug, name }) => ({ to: pageUrl('', { tenant: slug }), label: name, icon: 'tenant' as const }))
}

/** Renders the option that leads to the page with all results. */
function allResultsOption(request: SignedInRequest | TenantRequest, text: string): string {
  const { texts } = request
  const tenant = 'baseParams' in request ? request.baseParams.tenant : undefined
  const coversAllTenants = !('tenant' in request) && isAdministrator(request)
  const label = coversAllTenants ? texts.search.everywhereFor(text) : texts.search.allFor(text)
  return option(pageUrl('search.php', { tenant, q: text, all: 1 }), 'search', html`${label}`)
}
