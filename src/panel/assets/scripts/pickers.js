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
