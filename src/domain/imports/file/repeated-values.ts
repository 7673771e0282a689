// Which values of the columns whose values must be unique probably occur more than once in a file. The check stores only
// these, each with the row in which it first occurs (rows/lookups.ts): storing a million different values took 2.5 times
// the space of the file. Values are kept in Bloom filters, which may contain a value that does not repeat.

import { deriveOnce, type Resource } from '../../declarations/resource.ts'
import type { FileColumns } from '../columns/columns.ts'
import { uniqueColumns } from '../columns/targets.ts'
import { comparableValue } from '../rows/references.ts'
import { cellOf } from './cells.ts'

/** In a file of a million values, 1 in 6,000 of the values that occur once is taken for a repeated one. */
const bitsOfSeen = 2 ** 25

/** The largest filter of a file: 128 KiB, which is sharp for 50,000 repeated values. */
const bitsOfRepeated = 2 ** 20

const smallestBits = 2 ** 9

/** `watched`: the indexes of columns by their fields. */
export function watchRepeatedValues({ columns }: FileColumns, watched: ReadonlyMap<string, number>) {
  const [seen, repeated] = [new Uint8Array(bitsOfSeen / 8), new Uint8Array(bitsOfRepeated / 8)]
  let hasRepeated = false
  return {
    add(cells: readonly string[]): void {
      for (const [name, index] of watched) {
        const text = cellOf(columns[index]!, cells, index)
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

/** Returns a test for whether the check must store a value, which it must for fields that were not watched. */
export function repeatTest(resource: Resource, file: FileColumns): (field: string, value: string) => boolean {
  const watched = uniqueColumns(resource, file)
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
