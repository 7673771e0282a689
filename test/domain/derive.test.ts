import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../src/domain/declarations/all.ts'
import {
  booleansOf,
  deriveOnce,
  deriveOncePerEngine,
  type Resources,
  resourceNamed,
} from '../../src/domain/declarations/resource.ts'
import { filtersOf, searchedFields } from '../../src/domain/lists/request/options.ts'
import { recordJson } from '../../src/domain/records/json.ts'
import { newFields, withFields } from '../support/versions/next-version.ts'

/** The values derived from the hardware declaration. */
function derivedFrom(resources: Resources) {
  const hardware = resourceNamed(resources, 'hardware')
  return {
    booleans: booleansOf(hardware),
    searched: searchedFields(hardware),
    filters: filtersOf(hardware, resources).filters.map(({ name }) => name),
    sqlite: recordJson('sqlite', hardware, resources, {}),
    postgres: recordJson('postgres', hardware, resources, {}),
  }
}

test('a copy of a declaration with additional fields has separate derivations', () => {
  const before = derivedFrom(resources)
  const extended = derivedFrom(withFields(newFields))
  assert.deepEqual(extended.booleans, [...before.booleans, 'is_insured'])
  assert.deepEqual(extended.searched, [...before.searched, 'location', 'barcode'])
  const added = extended.filters.filter((name) => !before.filters.includes(name))
  assert.deepEqual(added, Object.keys(newFields))
  for (const engine of ['sqlite', 'postgres'] as const) {
    for (const name of Object.keys(newFields)) {
      assert.match(extended[engine], new RegExp(`hardware\\.${name}\\b`))
      assert.doesNotMatch(before[engine], new RegExp(`hardware\\.${name}\\b`))
    }
  }
  assert.deepEqual(derivedFrom(resources), before, "the first declaration's derivations do not change")
})

test('a derivation is computed once per declaration, and once per engine if it depends on the engine', () => {
  const calls: string[] = []
  const [first, second] = [{ name: 'first' }, { name: 'second' }]
  const upper = deriveOnce(({ name }: { name: string }) => {
    calls.push(name)
    return { upper: name.toUpperCase() }
  })
  const sql = deriveOncePerEngine((engine, { name }: { name: string }) => {
    calls.push(`${engine} ${name}`)
    return { sql: `${engine} ${name}` }
  })
  for (let round = 0; round < 2; round++) {
    for (const declaration of [first, second]) assert.equal(upper(declaration).upper, declaration.name.toUpperCase())
    for (const engine of ['sqlite', 'postgres'] as const) assert.equal(sql(engine, first).sql, `${engine} first`)
  }
  assert.deepEqual(calls, ['first', 'second', 'sqlite first', 'postgres first'])
})
