/** A one-time link carries its token in the fragment, which browsers do not send. Moves it from the address bar to the
 *  form, and submits the form. */
const linkForm = document.querySelector('form.one-time-link')
const openLink = () => {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1]
  if (!linkForm || !token) return
  history.replaceState(null, '', location.pathname)
  linkForm.elements.token.value = token
  linkForm.requestSubmit()
}
addEventListener('hashchange', openLink)
openLink()
