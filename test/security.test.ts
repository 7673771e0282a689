// docs/security-assessment.md names tests as evidence. All these tests must exist, and every requirement must be
// listed.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const assessment = readFileSync('docs/security-assessment.md', 'utf8')

/** The table's rows, each as a list of cells: requirement, verdict, how, tests. */
const rows = assessment
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

/** The rows that contain a requirement or a risk, without the headings. */
const requirements = rows.filter(([first]) => /^(API\d|\d+\.\d+\.\d)/.test(first!))

/** The entries in the Tests column, for example `api/bulk` › title. An entry without a file names a test in the
 *  previous entry's file. */
const entries = requirements.flatMap(([, , , tests]) => {
  let file: string | undefined
  return (tests ? tests.split('<br>') : []).map((entry) => {
    const [, name, title] = /^(?:`([\w/-]+)` )?› (\S.*)$/.exec(entry) ?? []
    if (name) file = `test/${name}.test.ts`
    return { entry, file, title }
  })
})

test('every test that the security assessment names exists, with its file and title', () => {
  assert.ok(entries.length > 100, String(entries.length))
  const missing = entries.filter(
    ({ file, title }) => !file || !title || !existsSync(file) || !titlesIn(file).has(title),
  )
  assert.deepEqual(missing, [])
})

/** Returns the titles of a file's tests, as written in the source. */
function titlesIn(file: string): Set<string> {
  const titles = readFileSync(file, 'utf8').matchAll(/\btest\(\s*(['"`])(.*?)\1\s*,/gs)
  return new Set([...titles].map(([, , title]) => title!.replaceAll("\\'", "'")))
}

test('the security assessment names tests only in the Tests column', () => {
  assert.equal(assessment.match(/›/g)?.length, entries.length)
})

/** The number of the last requirement of level 1 or 2 in each section of ASVS 5.0.0, by chapter and section. */
const sections: Record<string, Record<string, number>> = {
  1: { 1: 2, 2: 9, 3: 11, 4: 3, 5: 2 },
  2: { 1: 3, 2: 3, 3: 4, 4: 1 },
  3: { 2: 2, 3: 4, 4: 6, 5: 5, 7: 2 },
  4: { 1: 3, 2: 1, 3: 2, 4: 4 },
  5: { 1: 1, 2: 3, 3: 2, 4: 3 },
  6: { 1: 3, 2: 12, 3: 4, 4: 4, 5: 5, 6: 3, 8: 4 },
  7: { 1: 3, 2: 4, 3: 2, 4: 5, 5: 2, 6: 2 },
  8: { 1: 2, 2: 3, 3: 1, 4: 1 },
  9: { 1: 3, 2: 4 },
  11: { 1: 2, 2: 3, 3: 3, 4: 4, 5: 1, 6: 1 },
  12: { 1: 3, 2: 2, 3: 4 },
  13: { 1: 1, 2: 5, 3: 2, 4: 5 },
  14: { 1: 2, 2: 4, 3: 3 },
  15: { 1: 3, 2: 3, 3: 7 },
  16: { 1: 1, 2: 5, 3: 4, 4: 3, 5: 3 },
}

/** Returns the requirement numbers in a cell such as `1.2.1–4` or `1.2.1, 1.2.3`. */
function numbersOf(cell: string): string[] {
  return [...cell.matchAll(/(\d+\.\d+)\.(\d+)(?:–(\d+))?/g)].flatMap(([, section, from, to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${section}.${Number(from) + index}`),
  )
}

test('the security assessment lists each requirement of ASVS 5.0.0 level 2 once, and each of the OWASP API Security Top 10', () => {
  const listed = rows.flatMap(([first]) => numbersOf(first!)).toSorted()
  const expected = Object.entries(sections).flatMap(([chapter, lastNumbers]) =>
    Object.entries(lastNumbers).flatMap(([section, last]) => numbersOf(`${chapter}.${section}.1–${last}`)),
  )
  assert.deepEqual(listed, expected.toSorted())
  for (let risk = 1; risk <= 10; risk++) {
    assert.equal(rows.filter(([first]) => first!.startsWith(`API${risk} `)).length, 1, `API${risk}`)
  }
})

test('every requirement in the security assessment has a known verdict', () => {
  assert.ok(requirements.length > 80)
  for (const [, verdict] of requirements)
    assert.match(verdict!, /^(Met|Does not apply|By the operator|Not met|Partly)$/)
})

test('the summary of the security assessment lists every requirement that is not met completely', () => {
  const summary = [...assessment.matchAll(/^- \*\*(.+?):\*\* ([^*]+?)\.$/gm)].map(([, verdict, numbers]) => [
    verdict,
    numbersOf(numbers!),
  ])
  const others = requirements.filter(([, verdict]) => verdict !== 'Met')
  const expected = Object.entries(Object.groupBy(others, ([, verdict]) => verdict!)).map(([verdict, list]) => [
    verdict,
    list!.flatMap(([first]) => numbersOf(first!)),
  ])
  assert.deepEqual(Object.fromEntries(summary), Object.fromEntries(expected))
})
