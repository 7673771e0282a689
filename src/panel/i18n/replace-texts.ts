// Replaces some of the panel's texts.

/** Some of the texts, in the same structure as all texts. */
export type TextChanges<Texts> = {
  [name in keyof Texts]?: Texts[name] extends string | ((...given: never) => string)
    ? Texts[name]
    : TextChanges<Texts[name]>
}

export function replaceTexts<Texts extends object>(texts: Texts, changes: TextChanges<Texts>): Texts {
  const replaced = Object.entries(changes).map(([name, value]) => {
    const original = (texts as Record<string, unknown>)[name]
    return [name, typeof value === 'object' ? replaceTexts(original as object, value as object) : value]
  })
  return { ...texts, ...Object.fromEntries(replaced) }
}
