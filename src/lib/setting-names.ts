// Names of variables that look like a setting and are none: a mistyped setting would otherwise have no effect, silently.

import { distance } from './edit-distance.ts'

/** The settings that given names were probably meant to be, by those names. */
export function findMisspelled(given: readonly string[], settings: readonly string[]): Map<string, string> {
  const known = new Set(settings)
  const pairs = given
    .filter((name) => !known.has(name))
    .map((name) => [name, settings.find((setting) => isMisspelled(name, setting))] as const)
  return new Map(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

/** Below this length another word is as near as a mistake: HOST and POST, PORT and SORT. Characters. */
const shortest = 7

function isMisspelled(name: string, setting: string): boolean {
  if (plain(name) === plain(setting)) return true
  if (setting.length < shortest || name !== name.toUpperCase() || isOtherWord(name, setting)) return false
  return distance(plain(name), plain(setting)) <= (setting.length < 12 ? 1 : 2)
}

/** However it is divided and written. */
function plain(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, '')
}

/** Names such as DATABASE_URI and DATA_DIRS, which other programs have: they differ in one short word only. */
function isOtherWord(name: string, setting: string): boolean {
  const [words, own] = [name.split('_'), setting.split('_')]
  if (words.length !== own.length) return false
  const others = words.filter((word, at) => word !== own[at])
  return others.length === 1 && others[0]!.length <= 4
}
