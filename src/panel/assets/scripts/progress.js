/** Shows the progress of background work. The server has nothing to show once the work has ended: the page then shows the result. */
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
