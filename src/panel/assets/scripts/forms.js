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

/** Makes checkboxes show and hide the passwords in their form. Submitting the form hides the passwords again, so that
 *  the browser recognizes the fields as password fields. */
for (const box of document.querySelectorAll('[data-reveal]')) {
  const inputs = box.form.querySelectorAll('[type=password]')
  const show = (isShown) => {
    for (const input of inputs) input.type = isShown ? 'text' : 'password'
    box.checked = isShown
  }
  box.parentElement.hidden = false
  box.addEventListener('change', () => show(box.checked))
  box.form.addEventListener('submit', () => show(false))
}
