/** Prints the page once, after the server has recorded the printing. Reloading the page does not print it again. */
if (document.querySelector('[data-print]')) {
  const url = new URL(location.href)
  url.searchParams.delete('print')
  history.replaceState(null, '', url)
  addEventListener('load', () => print())
}
