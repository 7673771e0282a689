// SECURITY.md names tests as evidence. Every test named must exist, and every requirement must be listed.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const security = readFileSync('SECURITY.md', 'utf8')

/** The table rows, each as a list of its cells. */
const rows = security
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  )

/** The tests that SECURITY.md names, each with its file and title. */
const namedTests = [...security.matchAll(/`(test\/[\w./-]+\.test\.ts)` › (.+?)(?=<br>| \||\.?$)/gm)].map(
  ([, file, title]) => ({
    file: file!,
    title: title!,
  }),
)

test('every test that SECURITY.md names exists, with its file and title', () => {
  assert.ok(namedTests.length > 100, String(namedTests.length))
  const missing = namedTests.filter(({ file, title }) => !existsSync(file) || !titlesIn(file).has(title))
  assert.deepEqual(missing, [])
})

/** Returns the titles of a file's tests, as written in the source. */
function titlesIn(file: string): Set<string> {
  const titles = readFileSync(file, 'utf8').matchAll(/\btest\(\s*(['"`])(.*?)\1\s*,/gs)
  return new Set([...titles].map(([, , title]) => title!.replaceAll("\\'", "'")))
}

test('every test file that SECURITY.md mentions is followed by a title', () => {
  assert.equal(security.match(/test\/[\w./-]+\.test\.ts/g)?.length, namedTests.length)
})

/** The number of the last requirement of level 1 or 2 in each section of ASVS 5.0. */
const sections: Record<string, number> = {
  ...{ 1.1: 2, 1.2: 9, 1.3: 11, 1.4: 3, 1.5: 2 },
  ...{ 2.1: 3, 2.2: 3, 2.3: 4, 2.4: 1 },
  ...{ 3.2: 2, 3.3: 4, 3.4: 6, 3.5: 5, 3.7: 2 },
  ...{ 4.1: 3, 4.2: 1, 4.3: 2, 4.4: 4 },
  ...{ 5.1: 1, 5.2: 3, 5.3: 2, 5.4: 3 },
  ...{ 6.1: 3, 6.2: 11, 6.3: 3, 6.4: 4, 6.5: 5, 6.6: 3 },
  ...{ 6.8: 4 },
  ...{ 7.1: 3, 7.2: 4, 7.3: 2, 7.4: 5, 7.5: 2, 7.6: 2 },
  ...{ 8.1: 2, 8.2: 3, 8.3: 1, 8.4: 1 },
  ...{ 9.1: 3, 9.2: 4 },
  ...{
    11.1: 2,
    11.2: 3,
    11.3: 3,
    11.4: 3,
    11.5: 1,
    11.6: 1,
  },
  ...{ 12.1: 3, 12.2: 2, 12.3: 4 },
  ...{ 13.1: 1, 13.2: 5, 13.3: 2, 13.4: 5 },
  ...{ 14.1: 2, 14.2: 4, 14.3: 3 },
  ...{ 15.1: 3, 15.2: 3, 15.3: 7 },
  ...{ 16.1: 1, 16.2: 5, 16.3: 4, 16.4: 3, 16.5: 3 },
}

/** Returns the requirement numbers in a cell such as `1.2.1–4` or `1.2.1, 1.2.3`. */
function numbersOf(cell: string): string[] {
  return [...cell.matchAll(/(\d+\.\d+)\.(\d+)(?:–(\d+))?/g)].flatMap(([, section, from, to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${section}.${Number(from) + index}`),
  )
}

test('SECURITY.md lists each requirement of ASVS 5.0 level 2 once, and each risk of the OWASP API Security Top 10', () => {
  const listed = rows.flatMap(([first]) => numbersOf(first!)).toSorted()
  const expected = Object.entries(sections).flatMap(([section, last]) => numbersOf(`${section}.1–${last}`))
  assert.deepEqual(listed, expected.toSorted())
  for (let risk = 1; risk <= 10; risk++) {
    assert.equal(rows.filter(([first]) => first!.startsWith(`API${risk} `)).length, 1, `API${risk}`)
  }
})

test('every requirement in SECURITY.md has one of five verdicts', () => {
  const verdicts = rows.filter(([first]) => /^(API\d|\d+\.\d+\.\d)/.test(first!)).map((cells) => cells[1]!)
  assert.ok(verdicts.length > 80)
  for (const verdict of verdicts) assert.match(verdict, /^(Met|Does not apply|By the operator|Not met|Partly)[.,:]/)
})
