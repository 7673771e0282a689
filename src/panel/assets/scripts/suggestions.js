/** Suggests what the server cannot know or does not know yet, in forms for new installations and tenants. A value that the
 *  user has typed is not replaced. */

/** Calls `suggest` whenever `source` changes, until the user types into `field`. */
const suggestFrom = (source, field, suggest) => {
  source.addEventListener('input', suggest)
  field.addEventListener('input', () => source.removeEventListener('input', suggest))
}

/** The browser's time zone, which no request header names. */
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
for (const field of ownZone ? document.querySelectorAll('[data-suggests-zone]') : []) {
  if (field.options && ![...field.options].some(({ value }) => value === ownZone))
    field.add(new Option(ownZone, ownZone))
  field.value = ownZone
}

/** The currency that people use in the time zone. */
for (const field of document.querySelectorAll('[data-suggests-currency]')) {
  const zone = field.form.elements.time_zone
  const suggest = () => {
    field.value = zone.selectedOptions[0].dataset.currency ?? 'EUR'
  }
  suggestFrom(zone, field, suggest)
  if ('suggestsZone' in zone.dataset) suggest()
}

/** The short name, as the server derives it. */
for (const field of document.querySelectorAll('[data-suggests-slug]')) {
  const { name } = field.form.elements
  suggestFrom(name, field, () => {
    const plain = name.value.toUpperCase().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
    const slug = plain.replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+/, '')
    field.value = slug.slice(0, 40).replace(/-$/, '')
  })
}
