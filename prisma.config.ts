import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma/config'

// Prisma's native schema engine is a download; ours runs the same engine's WebAssembly build from npm.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(
  new URL('./scripts/schema-engine.mjs', import.meta.url),
)

// Prisma's CLI asks its maker for newer versions unless it is told not to.
process.env.CHECKPOINT_DISABLE ??= '1'

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  // Prisma requires a key over all rows; these tables have one over the current rows and one over the closed ones.
  experimental: { externalTables: true },
  tables: { external: ['public.candle', 'public.minute_bar'] },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://unused@localhost/unused?pglite=memory://' },
})
