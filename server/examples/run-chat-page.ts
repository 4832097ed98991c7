import { readFile } from "node:fs/promises";
import { createChatPage } from "./chat-page.ts";

const PORT = 4100;

// Written by `npm start`, which has to let the page in: CORS_ORIGINS=http://127.0.0.1:4100 npm start
const link = JSON.parse(await readFile(".agent-store/link.json", "utf8")) as { url: string; token: string };
createChatPage({ ...link, conversationId: "chat-page" }).listen(PORT, "127.0.0.1");
console.log(`Open http://127.0.0.1:${PORT} in two windows.`);
