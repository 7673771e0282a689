// Parses an export's query (contract §17): a list query that has a format and columns instead of pages.

import type { ParsedUrlQuery } from 'node:querystring'
import { invalidRequest } from '../../problem.ts'
import { columns, type Resource, type Resources } from '../declarations/resource.ts'
import { allowedList, quote } from '../fields/unknown-names.ts'
import type { ListQuery } from '../lists/query.ts'
import { memberName } from '../lists/request/options.ts'
import { type ListScope, readListRequest, requireOnce } from '../lists/request/request.ts'
import { csvColumns, type ExportColumn, furtherColumns, includesFor } from './columns.ts'
import type { SheetFormat } from './sheet.ts'

export const formats = ['csv', 'ndjson'] as const
export const purposes = ['spreadsheet'] as const
export const delimiters: { readonly [name: string]: string } = { comma: ',', semicolon: ';', tab: '\t' }

/** How records are written. `isForSpreadsheets`: whether text is protected that a spreadsheet would change. `sheet`: the layout of a file that is meant for people, not programs. `fields`: the members
 *  of each NDJSON record, among them the included records; null for all members. */
export type ExportLayout =
  | {
      format: 'csv'
      columns: readonly ExportColumn[]
      delimiter: string
      isForSpreadsheets: boolean
      sheet?: SheetFormat
    }
  | { format: 'ndjson'; fields: readonly string[] | null }

/** A parsed export. `list` selects and orders the records. */
export type ExportRequest = { layout: ExportLayout; list: Omit<ListQuery, 'limit' | 'after' | 'timeoutMs'> }

/** Exports reject these parameters, because they apply only to pages or single records. */
const rejectedParameters = ['id', 'external_id', 'history', 'limit', 'cursor', 'total'] as const

/** The other resources whose titles appear in the columns that `fields` names. */
export function resourcesOfColumns(query: ParsedUrlQuery, resource: Resource, resources: Resources): string[] {
  const names = [query.fields ?? []].flat().flatMap((text) => text.split(','))
  const allColumns = [...csvColumns(resource, resources), ...furtherColumns(resource, resources)]
  const selected = allColumns.filter(({ name }) => names.includes(name))
  return [...new Set(selected.flatMap(({ titleOf }) => titleOf?.path.map((step) => step.to) ?? []))]
}

/** `canRead`: whether the caller may read a resource; if not, columns with titles from this resource are left out. */
type ExportScope = ListScope & { canRead: (resource: string) => boolean }

/** Throws `invalid_request`. */
export function readExportRequest(query: ParsedUrlQuery, scope: ExportScope): ExportRequest {
  const { resource, resources, canRead } = scope
  const { format, fields, delimiter, for: purpose, ...selection } = requireOnce(query)
  const fileFormat = readWord('format', format ?? '', formats)
  requireNone(fileFormat, selection)
  const { cursor: _, limit: __, ...list } = readListRequest(selection, scope)
  if (fileFormat === 'ndjson') {
    const refused = Object.entries({ delimiter, for: purpose }).find(([, value]) => value !== undefined)
    if (refused) throw invalidRequest(`${refused[0]} applies only to format=csv; leave it out.`)
    const names = readFields(fields, columns(resource))
    return {
      layout: { format: fileFormat, fields: names && [...names, ...Object.keys(list.includes).map(memberName)] },
      list,
    }
  }
  const isReadable = ({ titleOf }: ExportColumn) => !titleOf || titleOf.path.every((step) => canRead(step.to))
  const standard = csvColumns(resource, resources).filter(isReadable)
  const available = [...standard, ...furtherColumns(resource, resources).filter(isReadable)]
  const names = readFields(
    fields,
    available.map(({ name }) => name),
  )
  const selected = names?.map((name) => available.find((column) => column.name === name)!) ?? standard
  return {
    layout: {
      format: fileFormat,
      columns: selected,
      delimiter: delimiters[readWord('delimiter', delimiter ?? 'comma', Object.keys(delimiters))]!,
      isForSpreadsheets: purpose !== undefined && readWord('for', purpose, purposes) === 'spreadsheet',
    },
    list: { ...list, includes: includesFor(selected) },
  }
}

function requireNone(format: string, selection: Record<string, string | undefined>): void {
  const parameter = [...rejectedParameters, ...(format === 'csv' ? (['include'] as const) : [])].find(
    (name) => name in selection,
  )
  if (parameter === undefined) return
  throw invalidRequest(
    `${parameter} cannot be combined with format=${format}, which returns the whole list; leave it out.`,
  )
}

/** Returns the names in `fields`, in the given order, or null if the parameter is absent. */
function readFields(text: string | undefined, knownNames: readonly string[]): string[] | null {
  if (text === undefined) return null
  const names = text.split(',')
  for (const [index, name] of names.entries()) {
    if (!knownNames.includes(name)) throw invalidRequest(`fields ${quote(name)} is unknown; ${allowedList(knownNames)}`)
    if (names.indexOf(name) < index) throw invalidRequest(`fields names ${quote(name)} twice; name it once.`)
  }
  return names
}

function readWord<Word extends string>(parameter: string, text: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === text)
  if (word !== undefined) return word
  throw invalidRequest(`${parameter} ${quote(text)} is unknown; ${allowedList(words)}`)
}
