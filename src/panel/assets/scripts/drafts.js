/** Keeps a form's input in this browser tab until the form is saved, so that the input is still there after going back
 *  or reloading. The server marks such forms with `data-draft`. If a form shows stored values, the server also adds
 *  `data-restore`, and only then is a draft restored. */
const prefix = 'draft '
const read = (key) => JSON.parse(sessionStorage.getItem(prefix + key) ?? 'null')
const write = (key, draft) => {
  try {
    sessionStorage.setItem(prefix + key, JSON.stringify(draft))
  } catch {} // the storage is full or disabled
}
const drop = (key) => sessionStorage.removeItem(prefix + key)
const keys = () =>
  Object.keys(sessionStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))

const version = ['etag', 'seen']
const inputs = (form) =>
  [...form.elements].filter(
    (each) => each.name && !each.dataset.finds && !['hidden', 'password', 'submit'].includes(each.type),
  )
const isTick = ({ type }) => type === 'checkbox' || type === 'radio'
const isSame = (each, [name, value]) => each.name === name && (!isTick(each) || each.value === value)
const valuesOf = (form) => inputs(form).map((each) => [each.name, each.value, isTick(each) && each.checked])

const show = (form, { values, etag, seen }) => {
  for (const [name, value, checked] of values) {
    const input = inputs(form).find((each) => isSame(each, [name, value]))
    if (!input) continue
    if (isTick(input)) input.checked = checked
    else input.value = value
  }
  for (const name of version) if (form.elements[name]) form.elements[name].value = { etag, seen }[name] ?? ''
}

const announce = (form) => {
  const note = document.createElement('p')
  const discard = document.createElement('button')
  note.className = 'notice'
  note.dataset.tone = 'neutral'
  note.setAttribute('role', 'status')
  discard.type = 'button'
  discard.className = 'link'
  ;[note.textContent, discard.textContent] = [form.dataset.restored, form.dataset.discard]
  discard.addEventListener('click', () => {
    drop(form.dataset.draft)
    location.reload()
  })
  note.append(' ', discard)
  form.before(note)
}

const forms = [...document.querySelectorAll('form[data-draft]')]
/** Whether this page is an error page, or asks a user whose session has ended to sign in. */
const isUnsaved = document.querySelector('main[data-unsaved]')
for (const key of keys()) {
  const draft = read(key)
  if (!draft.sent) continue
  const isRefused = forms.some(({ dataset }) => dataset.draft === key && dataset.restore === undefined)
  if (isUnsaved) write(key, { ...draft, sent: false })
  else if (!isRefused) drop(key)
}
for (const form of forms) {
  const key = form.dataset.draft
  const draft = read(key)
  const stored = JSON.stringify(valuesOf(form))
  if (draft && form.dataset.restore !== undefined) {
    const names = new Set(inputs(form).map(({ name }) => name))
    // parts.js adds the rows of these fields.
    const missing = draft.values.filter(([name]) => /\.\d+\./.test(name) && !names.has(name))
    show(form, draft)
    form.dataset.missing = missing.map(([name]) => name).join(' ')
    form.addEventListener('rows', () => show(form, { ...draft, values: missing }))
    if (JSON.stringify(valuesOf(form)) !== stored) announce(form)
  }
  const save = (sent) => {
    const [etag, seen] = version.map((name) => form.elements[name]?.value)
    write(key, { values: valuesOf(form), etag, seen, sent })
  }
  if (form.dataset.restore === undefined) save(false) // the server has rejected the form
  form.addEventListener('input', () => save(false))
  form.addEventListener('submit', () => save(true))
}

/** Signing out deletes all drafts, and the address of the last list, which may contain a name. */
for (const form of document.querySelectorAll('form[action="logout.php"]'))
  form.addEventListener('submit', () => sessionStorage.clear())
