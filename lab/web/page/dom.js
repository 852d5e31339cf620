// Small helpers for building and changing the page.

export const $ = id => document.getElementById(id)

// make is an element with attributes and children. The attributes "text" and on… are set as properties.
export function make(name, attributes = {}, ...children) {
	return fillIn(document.createElement(name), attributes, children)
}

// draw is make for SVG.
export function draw(name, attributes = {}, ...children) {
	return fillIn(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children)
}

function fillIn(element, attributes, children) {
	for (const [key, value] of Object.entries(attributes)) {
		if (key === "text") {
			element.textContent = value
		} else if (key.startsWith("on")) {
			element.addEventListener(key.slice(2), value)
		} else if (value !== undefined && value !== false) {
			element.setAttribute(key, value === true ? "" : value)
		}
	}
	element.append(...children)
	return element
}

// numbered is the button of a ply {number, black}, behind the number of the move where White makes it or it is the first one. No
// line ends between the two.
export function numbered(ply, first, button) {
	const number = !ply.black || first ? [make("span", {class: "soft", text: ply.number + (ply.black ? "…" : ".")})] : []
	return make("span", {class: "ply"}, ...number, button)
}

// setText changes an element's text only where it differs, so that selections and screen readers are left alone.
export function setText(element, text) {
	if (element.textContent !== text) {
		element.textContent = text
	}
}

// Complaint is the field for what is wrong, as an element with the id "trouble". What is said there goes with the next thing that
// the user does; that the connection is lost stays until it is there again.
export class Complaint {
	constructor() {
		for (const type of ["click", "input", "keydown", "paste"]) {
			document.addEventListener(type, () => this.lost || this.say(""), true)
		}
		document.addEventListener("keydown", e => e.key === "Escape" && e.target.closest?.("input, textarea, select") && e.target.blur())
	}

	say(text) {
		setText($("trouble"), text)
		$("trouble").classList.toggle("hidden", !text)
	}

	// connection takes what a session tells of the server. That all is well again takes back its own complaint alone.
	connection(text) {
		if (text || this.lost) {
			this.lost = text !== ""
			this.say(text)
		}
	}
}

// store keeps a value of a tab over a reload.
export const store = {
	get(key) {
		try {
			return JSON.parse(sessionStorage.getItem("tesla-" + key))
		} catch {
			return null
		}
	},
	set(key, value) {
		try {
			sessionStorage.setItem("tesla-" + key, JSON.stringify(value))
		} catch { // storage is full or not allowed: a reload begins anew
		}
	},
}
