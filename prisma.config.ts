import { defineConfig } from "prisma/config";

// `prisma migrate deploy` and `prisma studio` work on DATABASE_URL, where the network allows Prisma
// to fetch its own engine; the gateway itself migrates with the engine in WebAssembly.
export default defineConfig({
	schema: "prisma/schema.prisma",
	migrations: { path: "prisma/migrations" },
	// biome-ignore lint/style/noProcessEnv: the Prisma command line reads its database from here
	datasource: { url: process.env["DATABASE_URL"] ?? "" },
});
