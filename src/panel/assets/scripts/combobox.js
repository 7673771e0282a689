/** Adds two elements to a text field: a list of options, and a status text that screen readers announce. */
const addList = (input, host) => {
  const [list, status] = [document.createElement('ul'), document.createElement('p')]
  const label = input.labels[0]?.firstChild.textContent ?? input.ariaLabel
  Object.assign(list, { id: `${input.id}-list`, role: 'listbox', hidden: true, ariaLabel: label })
  Object.assign(status, { role: 'status', className: 'hidden' })
  Object.assign(input, { role: 'combobox', ariaExpanded: 'false', ariaAutoComplete: 'list' })
  input.setAttribute('aria-controls', list.id)
  host.append(list, status)
  return [list, status]
}

/** The list of a combobox. `active()`: the option that the user has moved to. */
const optionList = (input, host) => {
  const [element, status] = addList(input, host)
  let active
  const all = () => [...element.querySelectorAll('[role=option]')]
  const activate = (option) => {
    for (const other of all()) other.ariaSelected = String(other === option)
    active = option
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }
  const show = (isOpen) => {
    element.hidden = !isOpen
    input.ariaExpanded = String(isOpen)
    if (!isOpen) activate()
  }
  const fill = (html) => {
    element.innerHTML = html
    for (const [index, option] of all().entries()) option.id = `${element.id}-${index}`
    activate()
    if (document.activeElement !== input) return
    show(true)
    element.scrollIntoView({ block: 'nearest' })
    status.textContent = element.querySelector('.announcement').textContent
  }
  const move = (step) => {
    const from = active ? all().indexOf(active) : step > 0 ? -1 : all().length
    activate(all().at((from + step) % all().length))
  }
  return { element, all, show, fill, move, active: () => active, isOpen: () => !element.hidden }
}

/** A search starts when the user has not typed for this long. */
const typingPauseMs = 150

/** Turns a text field into a combobox. While the user types, a list of options from the server opens below the field.
 *  `host`: the element to which the list is added. `chosen`: returns the chosen value; only a field that has one takes
 *  an option on Enter instead of submitting its form. Returns a function that opens the list. */
const combobox = (input, host, { source, words, choose, chosen }) => {
  const options = optionList(input, host)
  let [pending, timer, answeredWords] = []
  const take = (option) => {
    clearTimeout(timer)
    options.show(false)
    choose(option.dataset)
  }
  const search = async () => {
    clearTimeout(timer)
    pending?.abort()
    pending = new AbortController()
    const [{ signal }, q] = [pending, words()]
    try {
      const answer = await fetch(`${source}&${new URLSearchParams({ q })}`, { signal })
      if (answer.ok && !answer.redirected) options.fill(await answer.text())
    } catch {} // a newer search aborted this one, or the browser is offline; submitting the form also searches
    if (!signal.aborted) answeredWords = q
  }
  const isUnanswered = () => words() !== '' && words() !== answeredWords
  /** Takes the active option, or the first one if the list fits the text. Otherwise searches, and takes the only match.
   *  An open list without matches stays open. */
  const enter = async () => {
    if (options.active()) return take(options.active())
    if (isUnanswered()) {
      await search()
      if (options.isOpen() && options.all().length === 1) take(options.all()[0])
    } else if (!chosen() && options.all().length > 0) take(options.all()[0])
    else options.show(words() !== '')
  }
  const keepsEnter = () => Boolean(options.active() ?? (chosen && (options.isOpen() || isUnanswered())))
  const move = (step) => (options.isOpen() && options.all().length > 0 ? options.move(step) : search())
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: enter,
    Escape: () => options.show(false),
  }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(search, typingPauseMs)
  })
  input.addEventListener('click', () => options.isOpen() || search())
  input.addEventListener('keydown', (event) => {
    const { key, isComposing } = event
    if (key === 'Tab' && options.active()) take(options.active())
    const isHandled = key.startsWith('Arrow') || (key === 'Enter' ? keepsEnter() : options.isOpen())
    if (isComposing || !keys[key] || !isHandled) return
    event.preventDefault()
    keys[key]()
  })
  input.addEventListener('blur', () => options.show(false))
  options.element.addEventListener('pointerdown', (event) => event.preventDefault()) // keeps the focus in the field
  options.element.addEventListener('click', ({ target }) => {
    const option = target.closest('[role=option]')
    if (option) take(option)
  })
  return search
}

/** Turns the fields that choose a record (components/forms/combobox.ts) into comboboxes. Choosing an option stores the
 *  record's id in the form. Typing clears the id, so that the server searches for the text. */
const chooseRecord = (box) => {
  const [input, find, value] = [
    box.querySelector('.find input'),
    box.querySelector('.find'),
    document.createElement('input'),
  ]
  const searched = box.querySelector('[type=hidden]')
  const checked = box.querySelector(':checked')
  Object.assign(value, { type: 'hidden', name: box.dataset.name, value: checked?.value ?? '' })
  if (checked) input.value = searched.value = checked.parentElement.querySelector('[data-title]').dataset.title
  let chosenText = input.value
  box.querySelector('.find button').remove()
  box.querySelector('.options')?.remove()
  find.append(value)
  combobox(input, find, {
    source: box.dataset.source,
    words: () => (value.value ? '' : input.value),
    chosen: () => value.value,
    choose(chosen) {
      value.value = chosen.value
      input.value = searched.value = chosenText = chosen.title
      box.dispatchEvent(new CustomEvent('choose', { bubbles: true, detail: chosen }))
    },
  })
  input.addEventListener('input', () => {
    if (input.value !== chosenText) value.value = ''
  })
}
document.querySelectorAll('.combobox').forEach(chooseRecord)
addEventListener('list', ({ target }) => {
  const part = target === window ? document.getElementById('list') : target
  for (const field of part.querySelectorAll('.combobox')) chooseRecord(field)
})

/** Turns the search field in the top bar into a combobox that also offers pages and actions. */
const finder = document.querySelector('.global-search')
const openFinder =
  finder &&
  combobox(finder.elements.q, finder, {
    source: `search.php?${new URLSearchParams([['palette', 1], ...new FormData(finder)].filter(([name]) => name !== 'q'))}`,
    words: () => finder.elements.q.value,
    choose: ({ to }) => location.assign(to),
  })

/** Handles keyboard shortcuts (pages/search/shortcuts.ts). Users can turn off the single-key shortcuts. */
const letters = () => localStorage.getItem('shortcuts') !== 'off'
const focusFinder = () => {
  finder?.elements.q.select()
  openFinder?.()
}
const moveRow = (step) => {
  const rows = [...document.querySelectorAll('table.list tbody th a')]
  const current = rows.indexOf(document.activeElement.closest('tr')?.querySelector('th a'))
  rows.at(current < 0 ? 0 : Math.min(Math.max(current + step, 0), rows.length - 1))?.focus()
}
const showShortcuts = async () => {
  if (document.querySelector('dialog[open]')) return
  const dialog = document.createElement('dialog')
  const answer = await fetch('search.php?shortcuts=1&part=1')
  dialog.innerHTML = await answer.text()
  dialog.ariaLabel = dialog.querySelector('h2').textContent
  document.body.append(dialog)
  dialog.addEventListener('close', () => dialog.remove())
  offerLetters(dialog)
  dialog.showModal()
}
const offerLetters = (container) => {
  const box = container.querySelector('[data-letters]')
  if (!box) return
  box.closest('label').hidden = false
  box.checked = letters()
  box.addEventListener('change', () => localStorage.setItem('shortcuts', box.checked ? 'on' : 'off'))
}
const single = {
  '/': focusFinder,
  '?': showShortcuts,
  j: () => moveRow(1),
  k: () => moveRow(-1),
  x: () => document.activeElement.closest('tr')?.querySelector('[type=checkbox]')?.click(),
  a: () => document.querySelector('.bulk button:enabled')?.focus(),
}
addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey, isComposing } = event
  const isCommand = (ctrlKey || metaKey) && !altKey
  const run =
    isCommand && key.toLowerCase() === 'k'
      ? focusFinder
      : isCommand && key === 'Enter'
        ? () => target.form?.querySelector('button.main')?.click()
        : !isCommand &&
            !altKey &&
            letters() &&
            !target.closest('input:not([type=checkbox], [type=radio]), select, textarea')
          ? single[key]
          : undefined
  if (!run || isComposing) return
  event.preventDefault()
  run()
})
offerLetters(document)
