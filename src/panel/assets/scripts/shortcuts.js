/** Shortcuts, listed in a dialog. Those of a single key can be turned off, because voice control types letters. */
const dialog = document.getElementById('shortcuts')
const choice = dialog?.querySelector('input')
const stored = 'tenantdesk.single-keys'

if (choice) {
  choice.checked = localStorage.getItem(stored) !== 'off'
  choice.addEventListener('change', () => localStorage.setItem(stored, choice.checked ? 'on' : 'off'))
}

for (const button of document.querySelectorAll('[data-shortcuts]')) {
  button.closest('[hidden]').hidden = false
  button.addEventListener('click', () => dialog.showModal())
}

const isTyping = (target) => target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)

/** Moves the focus between the rows of a list. */
const moveBy = (step) => {
  const links = [...document.querySelectorAll('.list tbody th a')]
  const next = links.indexOf(document.activeElement) + step
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus()
}

const keys = {
  '/': () => document.getElementById('global-search')?.focus(),
  '?': () => dialog?.showModal(),
  j: () => moveBy(1),
  k: () => moveBy(-1),
  x: () => document.activeElement.closest('tr')?.querySelector('[type=checkbox]')?.click(),
}

addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (key === 'Enter' && (ctrlKey || metaKey)) return target.form?.requestSubmit()
  if (ctrlKey || metaKey || altKey || isTyping(target) || document.querySelector('dialog[open]')) return
  if (!choice?.checked || !Object.hasOwn(keys, key)) return
  event.preventDefault()
  keys[key]()
})
