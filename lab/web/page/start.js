// Fetches what makes a page live once the page has been painted, so that it is seen at once. A page in the background is not
// painted: it waits for a moment only.
const mostWait = 500 // ms

let begun = false

function begin() {
	if (begun) {
		return
	}
	begun = true
	const live = document.getElementById("live").content.cloneNode(true)
	for (const script of live.querySelectorAll("script")) {
		script.async = false // they run in their order
	}
	document.head.append(live)
}

requestAnimationFrame(() => setTimeout(begin)) // before the first frame, and after it
setTimeout(begin, mostWait)
