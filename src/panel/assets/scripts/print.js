/** Opens the print dialog once, after the server has recorded that the page is being printed. Reloading the page does
 *  not open the dialog again. */
if (document.querySelector('[data-print]')) {
  const url = new URL(location.href)
  url.searchParams.delete('print')
  history.replaceState(null, '', url)
  addEventListener('load', () => print())
}
