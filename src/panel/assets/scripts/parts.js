/** Submits what the user has entered so far. Returns the page that the server renders, which contains search results or
 *  an additional row. */
const fetchForm = async (form, name, value, signal) => {
  const body = new URLSearchParams(new FormData(form))
  body.set(name, value)
  const answer = await fetch(form.action, { method: 'POST', body, signal })
  if (!answer.ok || answer.redirected) throw new Error(answer.status)
  return new DOMParser().parseFromString(await answer.text(), 'text/html')
}

/** Handles search fields whose results are checkboxes. The results change while the user types, but ticked checkboxes
 *  stay. */
for (const input of document.querySelectorAll('[data-finds]')) {
  const { form } = input
  const status = document.createElement('p')
  const button = input.nextElementSibling
  const results = () => document.getElementById(input.dataset.finds)
  let [timer, pending] = []
  const search = async () => {
    pending?.abort()
    const controller = new AbortController()
    pending = controller
    try {
      const next = (await fetchForm(form, button.name, button.value, controller.signal)).getElementById(
        input.dataset.finds,
      )
      if (pending !== controller) return
      results().replaceWith(next)
      status.textContent = next.dataset.announcement
    } catch {} // a newer search aborted this one, or the browser is offline; submitting the form also searches
    if (pending === controller) pending = undefined
  }
  Object.assign(status, { role: 'status', className: 'hidden' })
  button.replaceWith(status)
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(search, 150)
  })
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    search()
  })
  form.addEventListener('change', ({ target }) => {
    if (pending && results().contains(target)) search()
  })
}

/** Handles buttons that add a row to a form. */
for (const button of document.querySelectorAll('[data-adds-row]')) {
  const { form } = button
  const rows = document.getElementById(button.dataset.addsRow)
  const add = async () => {
    const page = await fetchForm(form, button.name, button.value)
    const next = page.getElementById(rows.id)
    rows.querySelector('[name=rows]').value = next.querySelector('[name=rows]').value
    rows.append(next.lastElementChild)
    rows.lastElementChild.dispatchEvent(new Event('list', { bubbles: true }))
    if (!page.querySelector('[data-adds-row]')) button.remove()
  }
  button.addEventListener('click', async (event) => {
    event.preventDefault()
    if (button.ariaBusy) return
    button.ariaBusy = 'true'
    try {
      await add()
      rows.lastElementChild.querySelector('input:not([type=hidden])').focus()
    } catch {
      form.requestSubmit(button)
    }
    button.ariaBusy = null
  })
  /** Adds the rows that are in a draft but not yet on the page (drafts.js). */
  const restore = async () => {
    const missing = (form.dataset.missing ?? '').split(' ')
    while (missing.some((name) => name && !form.elements[name]) && button.isConnected) await add()
    form.dispatchEvent(new Event('rows'))
  }
  restore().catch(() => {}) // offline
}
