import { defineConfig } from "prisma/config";

// `prisma migrate deploy` and `prisma studio` work on DATABASE_URL, where the network allows Prisma
// to fetch its own engine; the gateway itself migrates with the engine in WebAssembly.
// Generating the client starts no engine, yet Prisma would fetch one; any program in its place keeps it
// from the network. `npm ci` generates, also where the network is closed.
if (process.argv.includes("generate")) process.env["PRISMA_SCHEMA_ENGINE_BINARY"] ??= process.execPath;

export default defineConfig({
	schema: "prisma/schema.prisma",
	migrations: { path: "prisma/migrations" },
	datasource: { url: process.env["DATABASE_URL"] ?? "" },
});
