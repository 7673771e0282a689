/** Filters a list while the user types into its search field: fetches the list's page and replaces the parts that depend
 *  on the search. The field stays, and with it the focus. */
const live = document.querySelector('form[data-live]')
const liveParts = ['.toolbar > h1', '.toolbar-end', '.views', '#list']
let [liveTimer, livePending] = []
const status = live && Object.assign(document.createElement('p'), { role: 'status', className: 'hidden' })
const filterList = async () => {
  livePending?.abort()
  livePending = new AbortController()
  const { signal } = livePending
  const params = new URLSearchParams([...new FormData(live)].filter(([, value]) => value.trim() !== ''))
  try {
    const answer = await fetch(`${live.action}?${params}`, { signal })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const parts = liveParts.map((each) => page.querySelector(`main ${each}`))
    if (!answer.ok || parts.includes(null)) return live.requestSubmit()
    for (const [index, each] of liveParts.entries()) document.querySelector(`main ${each}`).replaceWith(parts[index])
    status.textContent = parts[0].textContent
    history.replaceState(history.state, '', answer.url)
    dispatchEvent(new Event('list'))
  } catch {} // a newer search aborted this one, or the browser is offline; Enter submits the form
}
live?.append(status)
live?.addEventListener('input', () => {
  clearTimeout(liveTimer)
  liveTimer = setTimeout(filterList, 150)
})
live?.addEventListener('submit', () => clearTimeout(liveTimer))
