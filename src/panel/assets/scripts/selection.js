/** Selects rows of a list. Shift-click selects a range, and the checkbox in the header selects all rows on the page.
 *  The bar shows how many rows are selected. Lists are replaced while the user searches (list-search.js), so the
 *  listeners belong to the document. */
const boxesOf = (form) => [...form.querySelectorAll('[name="id"]')]
const pageBoxOf = (form) => form.querySelector('[data-select-page]')
const showSelection = () => {
  const form = document.querySelector('form.selection')
  if (!form) return
  const [boxes, page, count] = [boxesOf(form), pageBoxOf(form), form.querySelector('.selected')]
  const ticked = boxes.filter(({ checked }) => checked)
  const chosen = ticked.length
  const { all } = form.elements
  const label = all.closest('label')
  count.hidden = chosen === 0 || all.checked
  count.querySelector('output').value = chosen
  label.hidden = !all.checked && chosen === Number(label.dataset.total)
  const states = new Set(ticked.map(({ dataset }) => dataset.state))
  for (const button of form.querySelectorAll('[data-fits]'))
    button.disabled = !all.checked && chosen > 0 && !button.dataset.fits.split(' ').some((each) => states.has(each))
  if (!page) return
  page.hidden = false
  page.checked = chosen === boxes.length
  page.indeterminate = chosen > 0 && chosen < boxes.length
}
let lastBox
addEventListener('click', (event) => {
  const { target, shiftKey } = event
  const form = target.closest?.('form.selection')
  if (!form) return
  const boxes = boxesOf(form)
  if (target.closest('[data-clear]')) {
    event.preventDefault()
    for (const box of [...boxes, form.elements.all]) box.checked = false
    showSelection()
  }
  const index = boxes.indexOf(target)
  if (index < 0) return
  const [from, to] = [index, Math.max(boxes.indexOf(lastBox), 0)].sort((one, other) => one - other)
  if (shiftKey && lastBox?.isConnected) for (const box of boxes.slice(from, to + 1)) box.checked = target.checked
  lastBox = target
})
addEventListener('change', ({ target }) => {
  const form = target.closest?.('form.selection')
  if (!form) return
  if (target === pageBoxOf(form)) for (const box of boxesOf(form)) box.checked = target.checked
  showSelection()
})
addEventListener('pageshow', showSelection)
addEventListener('list', showSelection)
showSelection()

/** After a task or its undo, the first selected row is where it was on the screen. If it is gone, the page is scrolled as it was. The
 *  URL then loses what only the return needs. `page`: the address of the next page, for forms that return directly, such
 *  as another theme, other columns, or the deletion of a record that was opened from a list. */
const placeKey = 'list-place'
const listKey = 'last-list'
const read = (key) => JSON.parse(sessionStorage.getItem(key) ?? 'null')
const write = (key, value) => sessionStorage.setItem(key, JSON.stringify(value))
const addressOf = ({ pathname, search }) => pathname + search
const firstSelected = () => document.querySelector('.selection tbody tr:has(:checked)')
const topOf = (row) => row?.getBoundingClientRect().top ?? null
/** A list with many columns scrolls in a frame of its own. */
const frame = () => document.querySelector('.scroll:has(> .list)')
const placeNow = () => {
  const boxes = [...document.querySelectorAll('.selection [name="id"]:checked')]
  const inFrame = [frame()?.scrollLeft, frame()?.scrollTop]
  return { scrolled: scrollY, inFrame, top: topOf(firstSelected()), ids: boxes.map(({ value }) => value) }
}
addEventListener('submit', ({ target }) => {
  const isDirect = target.matches('.toast form, .preferences, :has([name="keep_columns"])')
  if (isDirect || target.matches('form.selection'))
    write(placeKey, { ...placeNow(), ...(isDirect && { page: addressOf(location) }) })
})
const address = new URL(location.href)
const isReturn = address.searchParams.has('selected')
address.searchParams.delete('selected')
const place = read(placeKey)
const isBack = place?.page === addressOf(address)
if (place?.page) sessionStorage.removeItem(placeKey)
if (place && (isBack || (isReturn && !place.page))) {
  const { scrolled, inFrame, top, ids } = place
  address.hash = ''
  history.replaceState(history.state, '', address)
  if (isBack)
    for (const box of document.querySelectorAll('.selection [name="id"]')) box.checked = ids.includes(box.value)
  const restore = () => {
    const row = firstSelected()
    scrollTo(0, scrolled)
    frame()?.scrollTo(...inFrame)
    if (!row || top === null) return
    frame()?.scrollBy(0, topOf(row) - top)
    scrollBy(0, topOf(row) - top)
  }
  addEventListener('pageshow', restore, { once: true })
}

/** After a record has been deleted, the list from which it was opened is as it was. */
const listForm = document.querySelector('#list')
if (listForm) addEventListener('pagehide', () => write(listKey, { ...placeNow(), page: addressOf(location) }))
const returns = document.querySelector('[data-list]')
const list = read(listKey)
const [{ type }] = performance.getEntriesByType('navigation')
if (type === 'back_forward' && list?.page === addressOf(location)) frame()?.scrollTo(...list.inFrame)
const [from, to] = [list?.page, returns?.dataset.list].map((each) => each && new URL(each, location.href).searchParams)
if (from && to && ['tenant', 'resource'].every((each) => from.get(each) === to.get(each))) {
  returns.value = `records.php?${from}`
  returns.form.addEventListener('submit', () => write(placeKey, list))
}

/** In a form that edits several records, entering a value ticks the checkbox next to the field. */
for (const row of document.querySelectorAll('.change-field')) {
  row.addEventListener('input', ({ target }) => {
    const box = row.querySelector('[name="change"]')
    if (target !== box) box.checked = true
  })
}

/** Shows the whole text of a value that is cut off while the pointer is over it. */
addEventListener('mouseover', ({ target }) => {
  const value = target.closest?.('.list tbody :is(a, bdi, small, td)')
  if (value && value.scrollWidth > value.clientWidth && value.clientWidth > 0) value.title ||= value.textContent.trim()
})
