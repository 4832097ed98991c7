import { defineConfig } from "prisma/config";

// `prisma migrate deploy` and `prisma studio` work on DATABASE_URL, where the network allows Prisma
// to fetch its own engine; the gateway itself migrates with the engine in WebAssembly.
export default defineConfig({
	schema: "prisma/schema.prisma",
	migrations: { path: "prisma/migrations" },
	datasource: { url: process.env["DATABASE_URL"] ?? "" },
});
