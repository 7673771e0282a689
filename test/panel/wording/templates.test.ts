import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** The files that contain templates, whose lines Biome does not wrap. Texts in i18n/ contain no markup. */
const files = globSync('src/panel/**/*.ts').filter((path) => !path.includes('/i18n/'))

test('no line of the panel’s templates is longer than 120 characters', () => {
  assert.ok(files.length > 20)
  const long = files.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > 120 ? [`${path}:${index + 1}: ${line.length} characters`] : [])),
  )
  assert.deepEqual(long, [])
})
