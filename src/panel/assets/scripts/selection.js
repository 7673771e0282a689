/** Selects rows of a list. Shift-click selects a range, and the checkbox in the header selects all rows on the page.
 *  The bar shows how many rows are selected. */
for (const form of document.querySelectorAll('form.selection')) {
  const boxes = [...form.querySelectorAll('[name="id"]')]
  const page = form.querySelector('[data-select-page]')
  const count = form.querySelector('.selected')
  let last
  const show = () => {
    const chosen = boxes.filter(({ checked }) => checked).length
    count.hidden = chosen === 0 || form.elements.all.checked
    count.querySelector('output').value = chosen
    if (page) page.checked = chosen === boxes.length
    if (page) page.indeterminate = chosen > 0 && chosen < boxes.length
  }
  if (page) page.hidden = false
  page?.addEventListener('change', () => {
    for (const box of boxes) box.checked = page.checked
  })
  form.addEventListener('click', ({ target, shiftKey }) => {
    const index = boxes.indexOf(target)
    if (index < 0) return
    const [from, to] = [index, last ?? index].sort((one, other) => one - other)
    if (shiftKey) for (const box of boxes.slice(from, to + 1)) box.checked = target.checked
    last = index
  })
  form.addEventListener('change', show)
  addEventListener('pageshow', show)
}

/** In a form that edits several records, entering a value ticks the checkbox next to the field. */
for (const row of document.querySelectorAll('.change-field')) {
  row.addEventListener('input', ({ target }) => {
    const box = row.querySelector('[name="change"]')
    if (target !== box) box.checked = true
  })
}
