import type { ShippedMapping } from './shipped-mapping.ts'

/** The shipped mappings, in the order in which lists show them. */
export const shippedMappings: readonly ShippedMapping[] = []

export function isShipped(name: string): boolean {
  return shippedMappings.some((mapping) => mapping.name === name)
}
