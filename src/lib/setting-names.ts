// Finds misspelled settings among the environment variables. Without this, a misspelled setting would be ignored
// silently.

import { editDistance } from './edit-distance.ts'

/** Returns the setting that was probably meant, by the name that was given. */
export function findMisspelled(given: readonly string[], settings: readonly string[]): Map<string, string> {
  const known = new Set(settings)
  const pairs = given
    .filter((name) => !known.has(name))
    .map((name) => [name, settings.find((setting) => isMisspelled(name, setting))] as const)
  return new Map(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

/** Shorter names (characters) are not compared: other words are as close as typing errors (HOST and POST, PORT and SORT). */
const minLength = 7

function isMisspelled(name: string, setting: string): boolean {
  if (normalize(name) === normalize(setting)) return true
  if (setting.length < minLength || name !== name.toUpperCase() || isOtherWord(name, setting)) return false
  return editDistance(normalize(name), normalize(setting)) <= (setting.length < 12 ? 1 : 2)
}

/** Ignores case and separators. */
function normalize(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, '')
}

/** Whether the names differ only in one short word, as DATABASE_URI and DATA_DIRS do, which other programs use. */
function isOtherWord(name: string, setting: string): boolean {
  const [words, own] = [name.split('_'), setting.split('_')]
  if (words.length !== own.length) return false
  const others = words.filter((word, at) => word !== own[at])
  return others.length === 1 && others[0]!.length <= 4
}
