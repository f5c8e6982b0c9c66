// Ingests a generated file of so many bytes into the embedded database in that directory, and prints the counts, the time,
// and how far memory grew: bytes beyond the JavaScript heap (chunks and slices), the heap, and the peak of resident memory.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/core/time.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { openDatabase } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { generatedFeed, generatedLines } from '../run/generated-body.js'

const bytes = Number(process.argv[2])
const home = process.argv[3] ?? ''
const directory = await mkdtemp(join(tmpdir(), 'generated-'))
const path = join(directory, 'body.csv')
const file = createWriteStream(path)
for (const chunk of generatedLines(bytes)) if (!file.write(chunk)) await once(file, 'drain')
file.end()
await once(file, 'close')

const database = await openDatabase({ kind: 'embedded', directory: home })
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
const before = process.memoryUsage()
const peak = { ...before }
const { rows, rejected, durationMs } = await runFeed(
  deps,
  { feed: generatedFeed, sink },
  { kind: 'file', path },
  () => {
    const now = process.memoryUsage()
    for (const kind of ['rss', 'external', 'heapUsed'] as const) peak[kind] = Math.max(peak[kind], now[kind])
  },
)
await database.close()
await rm(directory, { recursive: true })
process.stdout.write(
  `${JSON.stringify({
    rows,
    rejected,
    durationMs,
    externalGrowthMb: Math.round((peak.external - before.external) / 1e6),
    heapGrowthMb: Math.round((peak.heapUsed - before.heapUsed) / 1e6),
    rssBeforeMb: Math.round(before.rss / 1e6),
    rssPeakMb: Math.round(peak.rss / 1e6),
  })}\n`,
)
