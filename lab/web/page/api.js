// What all pages need to speak with the server: requests with JSON, and streams of events that come back after the server
// was away.

export class ServerError extends Error {
	constructor(text, status) {
		super(text)
		this.status = status
	}
}

// A body is sent as JSON, a file as it is.
async function request(method, path, body) {
	const file = body instanceof Blob
	let response
	try {
		response = await fetch(path, {
			method,
			headers: body === undefined ? {} : {"Content-Type": file ? "application/x-chess-pgn" : "application/json"},
			body: body === undefined || file ? body : JSON.stringify(body),
		})
	} catch {
		throw new ServerError("the server does not answer: is tesla web still running?", 0)
	}
	let answer
	try {
		answer = await response.json()
	} catch {
		throw new ServerError(`the server answered with status ${response.status}`, response.status)
	}
	if (!response.ok) {
		throw new ServerError(answer.error, response.status)
	}
	return answer
}

export const get = path => request("GET", path)
export const post = (path, body) => request("POST", path, body ?? {})
export const remove = path => request("DELETE", path)

// listen opens the event stream at a path and calls on[NAME] with the data of each event. A stream that breaks is opened
// again by the browser; onState hears "open" and "lost". A stream that the server refuses is not opened again: "refused".
export function listen(path, on, onState = () => {}) {
	const source = new EventSource(path)
	source.onopen = () => onState("open")
	source.onerror = () => onState(source.readyState === EventSource.CLOSED ? "refused" : "lost")
	for (const [name, handle] of Object.entries(on)) {
		source.addEventListener(name, e => handle(JSON.parse(e.data)))
	}
	return source
}
