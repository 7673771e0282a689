import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes } from '../../src/lib/disk-space.ts'

test('sizes below 10 units have at most one decimal, and larger sizes are whole numbers', () => {
  const texts = [0, 999, 1536, 9.96 * 1024, 99.6 * 2 ** 20, 412.3 * 2 ** 30, 3 * 2 ** 50].map(formatBytes)
  assert.deepEqual(texts, ['0 bytes', '999 bytes', '1.5 KiB', '10 KiB', '100 MiB', '412 GiB', '3072 TiB'])
})
