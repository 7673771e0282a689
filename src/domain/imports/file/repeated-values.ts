// Which values of the columns whose values must be unique probably occur more than once in a file. The check stores only
// these, each with the row in which it first occurs (rows/lookups.ts): storing a million different values took 2.5 times
// the space of the file. Values are kept in Bloom filters, which may contain a value that does not repeat.

import { deriveOnce, type Resource } from '../../declarations/resource.ts'
import type { FileColumns } from '../columns/columns.ts'
import { comparableValue } from '../rows/references.ts'
import { cellOf } from './cells.ts'

/** With a million values, 1 in 6000 of those that do not repeat counts as repeated. */
const bitsOfSeen = 2 ** 25

/** The largest filter of a file: 128 KiB, which is sharp for 50,000 repeated values. */
const bitsOfRepeated = 2 ** 20

const smallestBits = 2 ** 9

/** Returns the fields whose values are watched, with the indexes of their columns: the field that identifies records, and
 *  fields with unique values. Fields are left out that may have values of several columns, or of none. */
function watchedColumns(resource: Resource, { columns, match, set = [], exportKey }: FileColumns): Map<string, number> {
  const names = columns.map(({ target }) => target?.name)
  const isUnique = (index: number) => {
    const { target } = columns[index]!
    if (target?.kind === 'id') return index === match && !exportKey
    return target?.kind === 'field' && (index === match || resource.fields[target.name]!.unique === true)
  }
  const isAlone = (name: string) =>
    names.indexOf(name) === names.lastIndexOf(name) && !set.some(({ target }) => target.name === name)
  return new Map(names.flatMap((name, index) => (name && isUnique(index) && isAlone(name) ? [[name, index]] : [])))
}

/** Returns null if the file has no columns to watch. */
export function watchRepeatedValues(resource: Resource, fileColumns: FileColumns) {
  const watched = [...watchedColumns(resource, fileColumns)]
  if (watched.length === 0) return null
  const [seen, repeated] = [new Uint8Array(bitsOfSeen / 8), new Uint8Array(bitsOfRepeated / 8)]
  let hasRepeated = false
  return {
    add(cells: readonly string[]): void {
      for (const [name, index] of watched) {
        const text = cellOf(fileColumns.columns[index]!, cells, index)
        if (text === '') continue
        const probes = probesOf(name, text)
        if (add(seen, probes)) continue
        add(repeated, probes)
        hasRepeated = true
      }
    },
    /** The filter, as base64; empty if no value is repeated. */
    result: (): string => (hasRepeated ? Buffer.from(shrink(repeated)).toString('base64') : ''),
  }
}

/** Returns a test for whether the check must store a value. It is true for every value of an import that was not
 *  watched. */
export function repeatTest(resource: Resource, file: FileColumns): (field: string, value: string) => boolean {
  if (file.repeated === undefined) return () => true
  const watched = watchedColumns(resource, file)
  const filter = bytesOf(file)
  return (field, value) => !watched.has(field) || has(filter, probesOf(field, value))
}

const bytesOf = deriveOnce(({ repeated = '' }: FileColumns) => Buffer.from(repeated, 'base64'))

/** Returns the places of a value in a filter: four hashes of 32 bits. */
function probesOf(field: string, value: string): number[] {
  const text = `${field} ${comparableValue(field, value)}`
  let [one, two] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    one = Math.imul(one ^ code, 0x9e3779b1)
    two = Math.imul(two ^ code, 0x5f356495)
  }
  one = mix(one ^ (two >>> 15))
  two = mix(two ^ (one >>> 13)) | 1
  return [one, one + two, one + 2 * two, one + 3 * two]
}

function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const again = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return again ^ (again >>> 16)
}

/** Adds a value. Returns whether it was not in the filter. */
function add(filter: Uint8Array, probes: readonly number[]): boolean {
  let isNew = false
  for (const probe of probes) {
    const bit = probe & (filter.length * 8 - 1)
    const mask = 1 << (bit & 7)
    if (filter[bit >>> 3]! & mask) continue
    filter[bit >>> 3]! |= mask
    isNew = true
  }
  return isNew
}

function has(filter: Uint8Array, probes: readonly number[]): boolean {
  return probes.every((probe) => {
    const bit = probe & (filter.length * 8 - 1)
    return (filter[bit >>> 3]! & (1 << (bit & 7))) !== 0
  })
}

/** Halves the filter, which keeps its values, while at most an eighth of its bits would be set. */
function shrink(filter: Uint8Array): Uint8Array {
  let smallest = filter
  while (smallest.length * 8 > smallestBits) {
    const half = smallest.slice(0, smallest.length / 2)
    for (let index = 0; index < half.length; index++) half[index]! |= smallest[half.length + index]!
    if (countBits(half) > half.length) break
    smallest = half
  }
  return smallest
}

function countBits(filter: Uint8Array): number {
  let count = 0
  for (let byte of filter) for (; byte > 0; byte &= byte - 1) count++
  return count
}
