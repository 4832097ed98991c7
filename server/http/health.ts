/** Answers `/health/live` (the process works) and `/health/ready` (the database does, too); undefined for other paths. */
export async function answerHealth(path: string, ready: () => Promise<void>): Promise<Response | undefined> {
	if (path === "/health/live") return Response.json({ status: "live" });
	if (path !== "/health/ready") return undefined;
	try {
		await ready();
		return Response.json({ status: "ready" });
	} catch {
		return Response.json({ status: "unavailable", reason: "the database does not answer" }, { status: 503 });
	}
}
