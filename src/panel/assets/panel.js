// What pages can do without: choosing while typing, copying, filters that apply at once.

const later = (work, milliseconds) => {
  let timer
  return (...given) => {
    clearTimeout(timer)
    timer = setTimeout(() => work(...given), milliseconds)
  }
}

/** The choices of a reference follow what is typed. The server makes them, as without scripts. */
for (const picker of document.querySelectorAll('.picker')) {
  const [input, button, options] = ['.find input', '.find button', '.options'].map((each) => picker.querySelector(each))
  let asked
  button.hidden = true
  button.type = 'button' // else it would be what Enter in any field of the form stands for
  const search = async () => {
    asked?.abort()
    asked = new AbortController()
    const chosen = picker.querySelector(':checked')?.value ?? ''
    const words = new URLSearchParams({ q: input.value, chosen })
    try {
      const answer = await fetch(`${picker.dataset.source}&${words}`, { signal: asked.signal })
      if (answer.ok && !answer.redirected) options.innerHTML = await answer.text()
    } catch {} // a newer word was typed, or the way is cut: the choices stay
  }
  input.addEventListener('input', later(search, 150))
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault()
  })
}

/** A button that copies what an element holds. */
for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy)
  button.hidden = !source || !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    button.dataset.done = ''
    setTimeout(() => delete button.dataset.done, 2000)
  })
}

/** A form that was sent once is not sent again by a second click. */
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent !== undefined) event.preventDefault()
    form.dataset.sent = ''
  })
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
})

/** A one-time link has its token in the fragment, which only a script can read. It does not stay in the address. */
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

/** A filter applies as soon as it is chosen. */
for (const select of document.querySelectorAll('.filters select')) {
  select.addEventListener('change', () => select.form.requestSubmit())
}
