const list = document.querySelector("#messages");
const state = document.querySelector("#state");
const form = document.querySelector("form");

let session;
/** The id of the last event: where the stream goes on when its connection breaks. */
let position;

/** A token for a quarter of an hour. It goes into headers only, never into an address. */
async function startSession() {
	const answer = await fetch("/session", { method: "POST" });
	session = await answer.json();
}

/** EventSource cannot send the token, so the stream is read by fetch. */
async function follow() {
	const path = `/api/threads/${encodeURIComponent(session.conversationId)}/events?last=50`;
	const answer = await fetch(new URL(path, session.url), {
		headers: {
			authorization: `Bearer ${session.token}`,
			...(position === undefined ? {} : { "last-event-id": position }),
		},
	});
	if (answer.status === 401) return startSession();
	if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
	let text = "";
	const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
	for (let part = await reader.read(); !part.done; part = await reader.read()) {
		const events = (text + part.value).split("\n\n");
		text = events.pop();
		for (const event of events) tell(event);
	}
}

function tell(event) {
	const field = (name) => event.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1];
	const data = field("data");
	// A comment, which says that the connection lives.
	if (data === undefined) return;
	position = field("id") ?? position;
	const { type, payload } = JSON.parse(data);
	if (type === "opened") state.textContent = "live";
	if (type === "reset") list.replaceChildren();
	if (type === "message") show(payload);
}

function show({ role, payload }) {
	const item = document.createElement("li");
	item.dataset.role = role ?? "";
	item.textContent = payload?.text ?? JSON.stringify(payload);
	list.append(item);
	item.scrollIntoView();
}

/** The same id at every attempt, so that the message is stored once. */
async function send(text, messageId) {
	const query = `mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { message { seq } } }`;
	const input = { conversationId: session.conversationId, messageId, role: "user", payload: { text } };
	const answer = await fetch(session.url, {
		method: "POST",
		headers: { "content-type": "application/json", authorization: `Bearer ${session.token}` },
		body: JSON.stringify({ query, variables: { input } }),
	});
	if (answer.status === 401) {
		await startSession();
		return send(text, messageId);
	}
	if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
}

form.addEventListener("submit", async (event) => {
	event.preventDefault();
	const { text } = form.elements;
	try {
		await send(text.value, crypto.randomUUID());
		text.value = "";
	} catch {
		state.textContent = "not sent";
	}
});

for (;;) {
	try {
		if (session === undefined) await startSession();
		await follow();
	} catch {
		// It is tried again below.
	}
	state.textContent = "reconnecting";
	await new Promise((resolve) => setTimeout(resolve, 500));
}
