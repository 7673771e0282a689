/** A file can be dropped anywhere on a page with a file field. */
const field = document.querySelector('input[type=file]')
if (field) {
  const mark = (isOver) => field.toggleAttribute('data-over', isOver)
  addEventListener('dragover', (event) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    mark(true)
  })
  addEventListener('dragleave', ({ relatedTarget }) => relatedTarget || mark(false))
  addEventListener('drop', (event) => {
    mark(false)
    if (event.dataTransfer.files.length === 0 || event.target === field) return
    event.preventDefault()
    field.files = event.dataTransfer.files
    field.form.querySelector('button').focus()
  })
}
