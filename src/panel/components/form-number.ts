// The number of a form to sign, as it is printed and as the history tells it.

/** HO-123; for what someone holds also how many assets that is: ES-123-4. */
export function formNumber(prefix: string, form: { number: unknown; change_set: unknown; items: unknown }): string {
  const { number, change_set: changeSet, items } = form
  const count = (changeSet ?? null) === null && typeof items === 'number' ? `-${items}` : ''
  return `${prefix}-${String(number)}${count}`
}
