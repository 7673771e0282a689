// Progressive enhancement: every page also works without this script.

const debounce = (work, delayMs) => {
  let timer
  return (...args) => {
    clearTimeout(timer)
    timer = setTimeout(() => work(...args), delayMs)
  }
}

/** Reference pickers search while the user types. The server renders the options, as it does without scripts. */
for (const picker of document.querySelectorAll('.picker')) {
  const [input, button, options] = ['.find input', '.find button', '.options'].map((each) => picker.querySelector(each))
  let pending
  button.hidden = true
  button.type = 'button' // as a submit button, Enter in any field would trigger it
  const search = async () => {
    pending?.abort()
    pending = new AbortController()
    const chosen = picker.querySelector(':checked')?.value ?? ''
    const words = new URLSearchParams({ q: input.value, chosen })
    try {
      const answer = await fetch(`${picker.dataset.source}&${words}`, { signal: pending.signal })
      if (answer.ok && !answer.redirected) options.innerHTML = await answer.text()
    } catch {} // aborted by a newer search, or offline: keep the options
  }
  input.addEventListener('input', debounce(search, 150))
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault()
  })
}

/** Buttons that copy the text of another element. */
for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy)
  button.hidden = !source || !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    button.dataset.done = ''
    setTimeout(() => delete button.dataset.done, 2000)
  })
}

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

/** A one-time link carries its token in the fragment, which the server never sees. Removes it from the address bar. */
const linkForm = document.querySelector('form.one-time-link')
const openLink = () => {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1]
  if (!linkForm || !token) return
  history.replaceState(null, '', location.pathname)
  linkForm.elements.token.value = token
  linkForm.requestSubmit()
}
addEventListener('hashchange', openLink)
openLink()

/** Filters apply as soon as a value is selected. */
for (const select of document.querySelectorAll('.filters select')) {
  select.addEventListener('change', () => select.form.requestSubmit())
}

/** Shows the progress of background work. The server has nothing to show once the work has ended: the page then shows the result. */
const progress = document.querySelector('[data-progress]')
const follow = async () => {
  let pauseMs = 1000
  try {
    const answer = await fetch(progress.dataset.progress)
    const content = await answer.text()
    if (answer.redirected || content === '') return location.reload()
    if (answer.ok) progress.innerHTML = content
    else pauseMs = 5000
  } catch {} // offline: try again
  setTimeout(follow, pauseMs)
}
if (progress) setTimeout(follow, 300)
