// Finds the name that was probably meant: for misspelled settings, which would otherwise be silently ignored, and for
// misspelled fields and parameters.

/** Returns, for each misspelled name, the setting that was probably meant. */
export function findMisspelled(names: readonly string[], settings: readonly string[]): Map<string, string> {
  const settingNames = new Set(settings)
  const unknown = names.filter((name) => !settingNames.has(name))
  return new Map(
    unknown.flatMap((name) => {
      const meant = settings.find((setting) => isMisspelled(name, setting))
      return meant === undefined ? [] : [[name, meant]]
    }),
  )
}

/** Settings with shorter names are not compared: an unrelated word can be as similar to them as a typing error is. For
 *  example, POST differs from HOST in one letter. */
const minLength = 7

function isMisspelled(name: string, setting: string): boolean {
  if (normalize(name) === normalize(setting)) return true
  if (setting.length < minLength || name !== name.toUpperCase() || isOtherWord(name, setting)) return false
  return isWithin(setting.length < 12 ? 1 : 2, normalize(name), normalize(setting))
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

/** Whether at most `edits` edits turn one word into the other. Compares the lengths first, because at each start every
 *  environment variable is compared with every setting. */
function isWithin(edits: number, first: string, second: string): boolean {
  return Math.abs(first.length - second.length) <= edits && editDistance(first, second) <= edits
}

/** Returns the smallest number of edits that turn one word into the other. An edit inserts, removes or replaces a
 *  letter, or swaps it with the next one. */
export function editDistance(first: string, second: string): number {
  const rows = Array.from({ length: first.length + 1 }, (_, index) => [index])
  rows[0] = Array.from({ length: second.length + 1 }, (_, index) => index)
  for (let i = 1; i <= first.length; i++) {
    for (let j = 1; j <= second.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + Number(first[i - 1] !== second[j - 1])
      const isSwap = i > 1 && j > 1 && first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1]
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, replaced, swapped)
    }
  }
  return rows[first.length]![second.length]!
}
