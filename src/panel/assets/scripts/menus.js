/** Menus close on Escape, on a click elsewhere, and when another one opens. */
const menus = 'details.menu, details.chip'
const close = (menu) => {
  menu.open = false
}
addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll(`:is(${menus})[open]`)) if (!menu.contains(target)) close(menu)
})
addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return
  const menu = target.closest?.(`:is(${menus})[open]`)
  if (!menu) return
  close(menu)
  menu.querySelector('summary').focus()
})

/** Makes buttons close their message. */
for (const button of document.querySelectorAll('[data-dismiss]')) {
  button.hidden = false
  button.addEventListener('click', () => button.closest('.toast').remove())
}
