/** Turns the fields that choose a record (components/combobox.ts) into comboboxes that search while the user types. */
const debounce = (work, delayMs) => {
  let timer
  return (...args) => {
    clearTimeout(timer)
    timer = setTimeout(() => work(...args), delayMs)
  }
}

/** Choosing stores the id; typing removes it again, and the server then looks for the text. */
const enhance = (box) => {
  const [input, button, status] = [box.querySelector('.find input'), box.querySelector('.find button'), element('p')]
  const [list, value] = [element('ul'), element('input')]
  const searched = box.querySelector('[type=hidden]')
  const checked = box.querySelector(':checked')
  let [pending, active] = [undefined, undefined]
  Object.assign(value, { type: 'hidden', name: box.dataset.name, value: checked?.value ?? '' })
  if (checked) input.value = searched.value = checked.parentElement.querySelector('[data-title]').dataset.title
  let chosenText = input.value
  Object.assign(list, {
    id: `${input.id}-list`,
    role: 'listbox',
    hidden: true,
    ariaLabel: input.labels[0]?.textContent,
  })
  Object.assign(status, { role: 'status', className: 'hidden' })
  Object.assign(input, { role: 'combobox', ariaExpanded: 'false', ariaAutoComplete: 'list' })
  input.setAttribute('aria-controls', list.id)
  button.remove()
  box.querySelector('.options')?.remove()
  box.querySelector('.find').append(list, status, value)

  const options = () => [...list.querySelectorAll('[role=option]')]
  const activate = (option) => {
    for (const each of options()) each.ariaSelected = String(each === option)
    active = option
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }
  const show = (isOpen) => {
    list.hidden = !isOpen
    input.ariaExpanded = String(isOpen)
    if (!isOpen) activate()
  }
  const choose = (option) => {
    value.value = option.dataset.value
    input.value = searched.value = chosenText = option.dataset.title
    show(false)
    box.dispatchEvent(new CustomEvent('choose', { bubbles: true, detail: option.dataset }))
  }
  const search = async () => {
    pending?.abort()
    pending = new AbortController()
    try {
      const words = new URLSearchParams({ q: value.value ? '' : input.value })
      const answer = await fetch(`${box.dataset.source}&${words}`, { signal: pending.signal })
      if (!answer.ok || answer.redirected) return
      list.innerHTML = await answer.text()
      for (const [at, each] of options().entries()) each.id = `${list.id}-${at}`
      activate()
      if (document.activeElement !== input) return
      show(true)
      status.textContent = list.querySelector('.announcement').textContent
    } catch {} // aborted by a newer search, or offline: the server searches when the form is submitted
  }
  const searchSoon = debounce(search, 150)
  const move = (step) => {
    const all = options()
    if (list.hidden || all.length === 0) return search()
    const from = active ? all.indexOf(active) : step > 0 ? -1 : all.length
    activate(all.at((from + step) % all.length))
  }
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => choose(active),
    Escape: () => show(false),
  }
  input.addEventListener('input', () => {
    if (input.value !== chosenText) value.value = ''
    searchSoon()
  })
  input.addEventListener('click', () => list.hidden && search())
  input.addEventListener('keydown', (event) => {
    const { key, isComposing } = event
    if (key === 'Tab' && active) choose(active)
    const isMine = key.startsWith('Arrow') || (key === 'Enter' ? active : !list.hidden)
    if (isComposing || !keys[key] || !isMine) return
    event.preventDefault()
    keys[key]()
  })
  input.addEventListener('blur', () => show(false))
  list.addEventListener('pointerdown', (event) => event.preventDefault()) // keeps the focus in the field
  list.addEventListener('click', ({ target }) => {
    const option = target.closest('[role=option]')
    if (option) choose(option)
  })
}

const element = (name) => document.createElement(name)

for (const box of document.querySelectorAll('.combobox')) enhance(box)
