// Begins a run of the feed ecb-history on the database of the first argument (JSON of a target), for the dataset of the
// second, prints a line when its body is waited for, and waits for it until the process is killed.
import type { DatasetName } from '../../../src/core/datasets.js'
import { systemClock } from '../../../src/core/time.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { type DatabaseTarget, openDatabase } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'

const target = JSON.parse(process.argv[2] ?? '') as DatabaseTarget // written by the test
const database = await openDatabase(target)
const fetchBody = () => {
  process.stdout.write('waiting\n')
  return new Promise<never>(() => setInterval(() => {}, 60_000))
}
const deps = { database, clock: systemClock, fetchBody, log: createLogger('silent') }
const { feed, sink } = findFeed('ecb-history')
const dataset = (process.argv[3] ?? feed.dataset) as DatasetName // written by the test
await runFeed(deps, { feed: { ...feed, dataset }, sink }, { kind: 'live' })
