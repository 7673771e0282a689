// Sends requests from the forms of the reference page to this server, with the API key that the user entered on the
// page.

const key = document.querySelector('#api-key')

document.querySelector('#key').hidden = false
document.querySelector('#key').addEventListener('submit', (event) => event.preventDefault())

for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(form)
  })
}

async function send(form) {
  const output = form.querySelector('output')
  const button = form.querySelector('button')
  button.disabled = true
  try {
    show(output, await request(form))
  } catch {
    output.replaceChildren(element('p', 'This server did not respond.'))
  } finally {
    button.disabled = false
  }
}

/** Sends the form's request, and leaves out empty inputs. */
async function request(form) {
  const headers = new Headers()
  const query = new URLSearchParams()
  if (key.value.trim()) headers.set('Authorization', `Bearer ${key.value.trim()}`)
  for (const { name, value, dataset } of form.querySelectorAll('input[data-in]')) {
    if (value === '') continue
    if (dataset.in === 'query') query.append(name, value)
    else if (dataset.in === 'header') headers.set(name, value)
    else for (const [filter, operand] of new URLSearchParams(value)) query.append(filter, operand)
  }
  const body = form.querySelector('textarea')?.value
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  const { send: method, address } = form.dataset
  const search = query.size > 0 ? `?${query}` : ''
  return fetch(address + search, { method, headers, body, credentials: 'omit', cache: 'no-store' })
}

async function show(output, response) {
  const status = element('b', `${response.status} ${response.statusText}`)
  status.dataset.status = String(response.status)[0]
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  output.replaceChildren(status, element('pre', head), element('pre', pretty(await response.text())))
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function element(name, text) {
  const created = document.createElement(name)
  created.textContent = text
  return created
}
