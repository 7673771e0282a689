/** Prevents a double click from submitting a form twice. A button that downloads a file does not leave the page. */
addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (form.method !== 'post' || submitter?.dataset.stays !== undefined) return
  if (form.dataset.sent !== undefined) event.preventDefault()
  form.dataset.sent = ''
})
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
})

/** Reloading the page that answers a refused form, or going back to it, shows the form with the draft of its input, and
 *  does not send the form again. */
const answered = new URL(location.href)
answered.searchParams.delete('refused')
history.replaceState(history.state, '', answered)

/** Filters apply as soon as a value is selected. */
addEventListener('change', ({ target }) => {
  if (target.matches(':is(.filter, .filters) select')) target.form.requestSubmit()
})

/** Buttons that fill in a date do so without submitting the form. */
for (const button of document.querySelectorAll('[data-fills]')) {
  const input = button.form.elements[button.dataset.fills]
  button.addEventListener('click', (event) => {
    event.preventDefault()
    input.value = button.value
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** Until the last day, leavers keep the equipment for which the user has not chosen anything else. */
for (const list of document.querySelectorAll('[data-today]')) {
  const day = list.closest('form').elements.end_date
  const chosen = new Set()
  list.addEventListener('change', ({ target }) => chosen.add(target.name))
  day.addEventListener('change', () => {
    const usual = day.value > list.dataset.today ? 'keep' : 'return'
    for (const radio of list.querySelectorAll(`[value=${usual}]`)) radio.checked ||= !chosen.has(radio.name)
  })
}

/** A status that does not fit the place of an asset changes with the place. */
for (const radio of document.querySelectorAll('.where [data-fitting]')) {
  radio.addEventListener('change', () => {
    const { status } = radio.form.elements
    if (status?.value === radio.dataset.unfit) status.value = radio.dataset.fitting
  })
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
