/** Shows the progress of a job. When the job has finished, the response is empty, and the page reloads to show the
 *  result. */
const progress = document.querySelector('[data-progress]')
const follow = async () => {
  let pauseMs = 1000
  try {
    const answer = await fetch(progress.dataset.progress)
    const content = await answer.text()
    if (answer.redirected || content === '') return location.reload()
    if (answer.ok) progress.innerHTML = content
    else pauseMs = 5000
  } catch {} // offline: try again
  setTimeout(follow, pauseMs)
}
if (progress) setTimeout(follow, 300)
