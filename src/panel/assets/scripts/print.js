/** A page whose printing has just been recorded. It is not printed again when it is reloaded. */
if (document.querySelector('[data-print]')) {
  const url = new URL(location.href)
  url.searchParams.delete('print')
  history.replaceState(null, '', url)
  addEventListener('load', () => print())
}
