// Formats the number of a hand-over form or equipment statement, as shown on paper and in the history.

/** Returns a number such as HO-123. For a statement of everything that a person holds, the number of assets is
 *  appended, as in ES-123-4. */
export function formNumber(prefix: string, form: { number: unknown; change_set: unknown; items: unknown }): string {
  const { number, change_set: changeSet, items } = form
  const count = (changeSet ?? null) === null && typeof items === 'number' ? `-${items}` : ''
  return `${prefix}-${String(number)}${count}`
}
