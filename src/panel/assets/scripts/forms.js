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

/** Makes checkboxes show and hide a password. Submitting the form hides the password again, so that the browser
 *  recognizes the field as a password field. */
for (const box of document.querySelectorAll('[data-reveal]')) {
  const input = box.parentElement.previousElementSibling
  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password'
    box.checked = isShown
  }
  box.parentElement.hidden = false
  box.addEventListener('change', () => show(box.checked))
  input.form.addEventListener('submit', () => show(false))
}
