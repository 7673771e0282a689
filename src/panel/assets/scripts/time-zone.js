/** Chooses the browser's time zone, which no request header names, and suggests the currency that is used there. */
for (const select of document.querySelectorAll('[data-suggests-zone]')) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const { currency } = select.form.elements
  const suggestCurrency = () => {
    if (currency) currency.value = select.selectedOptions[0].dataset.currency ?? currency.value
  }
  currency?.addEventListener('input', () => select.removeEventListener('change', suggestCurrency))
  select.addEventListener('change', suggestCurrency)
  if (zone && zone !== select.value) {
    const option = [...select.options].find(({ value }) => value === zone) ?? new Option(zone, zone)
    if (!option.parentElement) select.add(option)
    option.selected = true
    suggestCurrency()
  }
}
