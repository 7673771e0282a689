/** Makes buttons copy another element's text. */
for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy)
  button.hidden = !source || !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    button.dataset.done = ''
    setTimeout(() => delete button.dataset.done, 2000)
  })
}
