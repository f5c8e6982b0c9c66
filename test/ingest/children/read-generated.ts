// Ingests a generated file of so many bytes, and prints the counts, the seconds and the peak of resident memory.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/core/time.js'
import { runFeed } from '../../../src/ingest/run-feed.js'
import { openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { createLogger } from '../../../src/platform/logger.js'
import { generatedFeed, generatedLines } from '../generated-body.js'

const bytes = Number(process.argv[2])
const directory = await mkdtemp(join(tmpdir(), 'generated-'))
const path = join(directory, 'body.csv')
const file = createWriteStream(path)
for (const chunk of generatedLines(bytes)) if (!file.write(chunk)) await once(file, 'drain')
file.end()
await once(file, 'close')

const database = await openDatabase({ kind: 'memory' })
await migrate(database, join(import.meta.dirname, '../../../prisma/migrations'))
const deps = {
  database,
  clock: systemClock,
  fetchBody: () => Promise.reject(new Error('nothing is fetched')),
  log: createLogger('silent'),
}
const sink = {
  write: async (_tx: unknown, rows: readonly unknown[]) => ({ added: rows.length, revised: 0, unchanged: 0 }),
  removeSeed: async () => 0,
  newest: () => new Date(0),
}
const beforeMb = process.memoryUsage().rss / 1e6
let peakMb = beforeMb
const { rows, rejected, durationMs } = await runFeed(
  deps,
  { feed: generatedFeed, sink },
  { kind: 'file', path },
  () => {
    peakMb = Math.max(peakMb, process.memoryUsage().rss / 1e6)
  },
)
await database.close()
await rm(directory, { recursive: true })
process.stdout.write(`${JSON.stringify({ rows, rejected, durationMs, beforeMb, peakMb })}\n`)
