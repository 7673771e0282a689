/** A one-time link has its token in the URL fragment, which browsers do not send to the server. This script moves the
 *  token from the address bar to the form, and submits the form. */
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
