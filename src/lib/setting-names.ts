// Finds misspelled settings among the environment variables. Otherwise, a misspelled setting would be silently ignored.

import { editDistance } from './edit-distance.ts'

/** Returns, for each misspelled name, the setting that was probably meant. */
export function findMisspelled(names: readonly string[], settings: readonly string[]): Map<string, string> {
  const settingNames = new Set(settings)
  const pairs = names
    .filter((name) => !settingNames.has(name))
    .map((name) => [name, settings.find((setting) => isMisspelled(name, setting))] as const)
  return new Map(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

/** Settings with shorter names are not compared: an unrelated word can be as similar to them as a typing error is. For
 *  example, POST differs from HOST in one letter. */
const minLength = 7

function isMisspelled(name: string, setting: string): boolean {
  if (normalize(name) === normalize(setting)) return true
  if (setting.length < minLength || name !== name.toUpperCase() || isOtherWord(name, setting)) return false
  return editDistance(normalize(name), normalize(setting)) <= (setting.length < 12 ? 1 : 2)
}

/** Converts a name to upper case without separators, for comparisons. */
function normalize(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, '')
}

/** Whether the names differ only in one short word, like DATABASE_URI and DATABASE_URL: other programs use such
 *  names. */
function isOtherWord(name: string, setting: string): boolean {
  const [words, settingWords] = [name.split('_'), setting.split('_')]
  if (words.length !== settingWords.length) return false
  const differing = words.filter((word, index) => word !== settingWords[index])
  return differing.length === 1 && differing[0]!.length <= 4
}
