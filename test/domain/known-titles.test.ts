// The titles by which the columns of an imported file are recognized.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../src/domain/declarations/all.ts'
import { knownTitles } from '../../src/domain/declarations/known-titles.ts'
import { labelsOfField } from '../../src/domain/declarations/labels.ts'
import { ignoredColumns, labelledField, targetsOf } from '../../src/domain/imports/columns/targets.ts'
import { columnTitlesOf, findTargets, normalizeTitle } from '../../src/domain/imports/columns/titles.ts'

const options = { map: {}, match: null }

test('every known title is recognized as what it is listed for, and no title means two things', () => {
  for (const resource of resources)
    for (const target of targetsOf(resource, resources))
      for (const title of [target.name, ...columnTitlesOf(resource, target)])
        assert.equal(
          findTargets([title], resource, resources, options)[0]?.name,
          target.name,
          `${resource.name} ${title}`,
        )
})

test('no title is listed that is known anyway, or that an import ignores on purpose', () => {
  for (const resource of resources) {
    const ignored = ignoredColumns(resource).map(normalizeTitle)
    for (const target of targetsOf(resource, resources)) {
      const own = [target.name, ...labelsOfField(resource, labelledField(target) ?? '')].map(normalizeTitle)
      const listed = knownTitles(resource.name, target.name).map(normalizeTitle)
      const superfluous = listed.filter((title, at) => [...ignored, ...own, ...listed.slice(0, at)].includes(title))
      assert.deepEqual(superfluous, [], `${resource.name} ${target.name}`)
    }
  }
})
