/** Prevents a double click from submitting a form twice. */
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent !== undefined) event.preventDefault()
    form.dataset.sent = ''
  })
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
})

/** Filters apply as soon as a value is selected. */
for (const select of document.querySelectorAll(':is(.filter, .filters) select')) {
  select.addEventListener('change', () => select.form.requestSubmit())
}
