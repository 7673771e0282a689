import { german } from './de.ts'
import { turkish } from './tr.ts'

const words: Record<string, Record<string, string>> = { de: german, tr: turkish }

export const demoLanguages: readonly string[] = ['en', ...Object.keys(words)]

/** Returns a function that translates the demo data's English texts to the language, or leaves them. Names of people and
 *  models are the same in all languages. */
export function translatorFor(language: string): (text: string) => string {
  return (text) => words[language]?.[text] ?? text
}
