// The number of a form to sign, as printed and as shown in the history.

/** Returns for example HO-123, or for a form about everything that someone holds ES-123-4, with the number of
 *  assets. */
export function formNumber(prefix: string, form: { number: unknown; change_set: unknown; items: unknown }): string {
  const { number, change_set: changeSet, items } = form
  const count = (changeSet ?? null) === null && typeof items === 'number' ? `-${items}` : ''
  return `${prefix}-${String(number)}${count}`
}
