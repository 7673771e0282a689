// Replaces some of the panel's texts.

/** Part of the texts, in the same structure. */
export type Changed<Texts> = {
  [name in keyof Texts]?: Texts[name] extends string | ((...given: never) => string)
    ? Texts[name]
    : Changed<Texts[name]>
}

export function replaceTexts<Texts extends object>(texts: Texts, changed: Changed<Texts>): Texts {
  const replaced = Object.entries(changed).map(([name, value]) => {
    const original = (texts as Record<string, unknown>)[name]
    return [name, typeof value === 'object' ? replaceTexts(original as object, value as object) : value]
  })
  return { ...texts, ...Object.fromEntries(replaced) }
}
