import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes } from '../../src/lib/files/files.ts'

test('a size below ten units is shown with at most one decimal place, and a larger size as a whole number', () => {
  const texts = [0, 999, 1536, 9.96 * 1024, 99.6 * 2 ** 20, 412.3 * 2 ** 30, 3 * 2 ** 50].map(formatBytes)
  assert.deepEqual(texts, ['0 bytes', '999 bytes', '1.5 KiB', '10 KiB', '100 MiB', '412 GiB', '3072 TiB'])
})
