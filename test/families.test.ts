import assert from 'node:assert/strict'
import { test } from 'node:test'
import { familyOf, findWrongEntries, testFiles } from './support/families.ts'

test('every test file runs on at least one engine', () => {
  assert.ok(testFiles.length > 100)
  assert.deepEqual(
    testFiles.filter((path) => !familyOf(path, 'sqlite') && !familyOf(path, 'postgres')),
    [],
  )
})

test('every entry of the test families names an existing folder or file, and no entry contradicts another', () => {
  assert.deepEqual(findWrongEntries(), [])
})

test('a new test file runs on SQLite in the short family and on PostgreSQL in the long family', () => {
  assert.equal(familyOf('test/panel/new.test.ts', 'sqlite'), 'short')
  assert.equal(familyOf('test/panel/new.test.ts', 'postgres'), 'long')
})
