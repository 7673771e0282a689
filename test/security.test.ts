// SECURITY.md names tests as evidence: each of them must exist, and no requirement may be missing.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const security = readFileSync('SECURITY.md', 'utf8')

/** The cells of every row of the tables. */
const rows = security
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  )

/** The tests that are named, each as a file and a title. */
const named = [...security.matchAll(/`(test\/[\w./-]+\.test\.ts)` › (.+?)(?=<br>| \||\.?$)/gm)].map(
  ([, file, title]) => ({
    file: file!,
    title: title!,
  }),
)

test('every test that SECURITY.md names exists, with its file and title', () => {
  assert.ok(named.length > 100, String(named.length))
  const missing = named.filter(({ file, title }) => !existsSync(file) || !titlesIn(file).has(title))
  assert.deepEqual(missing, [])
})

/** The titles of a file's tests, as written in the source. */
function titlesIn(file: string): Set<string> {
  const titles = readFileSync(file, 'utf8').matchAll(/\btest\(\s*(['"`])(.*?)\1\s*,/gs)
  return new Set([...titles].map(([, , title]) => title!.replaceAll("\\'", "'")))
}

test('every mention of a test in SECURITY.md is checked', () => {
  assert.equal(security.match(/test\/[\w./-]+\.test\.ts/g)?.length, named.length)
})

/** How many requirements of levels 1 and 2 each section of ASVS 5.0 has, counted from the first; requirements of level
 *  3 in between are listed as omitted. */
const sections: Record<string, { last: number; level3?: number[] }> = {
  ...{ 1.1: { last: 2 }, 1.2: { last: 9 }, 1.3: { last: 11 }, 1.4: { last: 3 }, 1.5: { last: 2 } },
  ...{ 2.1: { last: 3 }, 2.2: { last: 3 }, 2.3: { last: 4 }, 2.4: { last: 1 } },
  ...{ 3.2: { last: 2 }, 3.3: { last: 4 }, 3.4: { last: 6 }, 3.5: { last: 5 }, 3.7: { last: 2 } },
  ...{ 4.1: { last: 3 }, 4.2: { last: 1 }, 4.3: { last: 2 }, 4.4: { last: 4 } },
  ...{ 5.1: { last: 1 }, 5.2: { last: 3 }, 5.3: { last: 2 }, 5.4: { last: 3 } },
  ...{ 6.1: { last: 3 }, 6.2: { last: 11 }, 6.3: { last: 3 }, 6.4: { last: 4 }, 6.5: { last: 5 }, 6.6: { last: 3 } },
  ...{ 6.8: { last: 4 } },
  ...{ 7.1: { last: 3 }, 7.2: { last: 4 }, 7.3: { last: 2 }, 7.4: { last: 5 }, 7.5: { last: 2 }, 7.6: { last: 2 } },
  ...{ 8.1: { last: 2 }, 8.2: { last: 3 }, 8.3: { last: 1 }, 8.4: { last: 1 } },
  ...{ 9.1: { last: 3 }, 9.2: { last: 4 } },
  ...{
    11.1: { last: 2 },
    11.2: { last: 3 },
    11.3: { last: 3 },
    11.4: { last: 3 },
    11.5: { last: 1 },
    11.6: { last: 1 },
  },
  ...{ 12.1: { last: 3 }, 12.2: { last: 2 }, 12.3: { last: 4 } },
  ...{ 13.1: { last: 1 }, 13.2: { last: 5 }, 13.3: { last: 2 }, 13.4: { last: 5 } },
  ...{ 14.1: { last: 2 }, 14.2: { last: 4 }, 14.3: { last: 3 } },
  ...{ 15.1: { last: 3 }, 15.2: { last: 3 }, 15.3: { last: 7 } },
  ...{ 16.1: { last: 1 }, 16.2: { last: 5 }, 16.3: { last: 4 }, 16.4: { last: 3 }, 16.5: { last: 3 } },
}

/** `1.2.1–4` and `1.2.1, 1.2.3` → the requirement numbers they stand for. */
function numbersOf(cell: string): string[] {
  return [...cell.matchAll(/(\d+\.\d+)\.(\d+)(?:–(\d+))?/g)].flatMap(([, section, from, to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${section}.${Number(from) + index}`),
  )
}

test('SECURITY.md has each requirement of ASVS 5.0 level 2 once, and each risk of the OWASP API Security Top 10', () => {
  const listed = rows.flatMap(([first]) => numbersOf(first!)).toSorted()
  const wanted = Object.entries(sections).flatMap(([section, { last }]) => numbersOf(`${section}.1–${last}`))
  assert.deepEqual(listed, wanted.toSorted())
  for (let risk = 1; risk <= 10; risk++) {
    assert.equal(rows.filter(([first]) => first!.startsWith(`API${risk} `)).length, 1, `API${risk}`)
  }
})

test('every row of SECURITY.md is met, does not apply, or says why it is not met', () => {
  const verdicts = rows.filter(([first]) => /^(API\d|\d+\.\d+\.\d)/.test(first!)).map((cells) => cells[1]!)
  assert.ok(verdicts.length > 80)
  for (const verdict of verdicts) assert.match(verdict, /^(Met|Does not apply|By the operator|Not met|Partly)[.,:]/)
})
