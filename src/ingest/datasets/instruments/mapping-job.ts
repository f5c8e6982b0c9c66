import type { Sql } from '../../../platform/database/database.js'
import { bindFeed, type PagedFeed, type Sink } from '../../feed.js'
import { identifiersPerRun } from '../../providers/openfigi/mapping-feed.js'
import type { OpenFigiAccount } from '../../providers/openfigi/mapping-request.js'
import { fetchBodyWith } from '../../run/ask-for-body.js'
import { runFeed } from '../../run/run-feed.js'
import { type Job, jobCounts, NO_ROWS } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'

const JITTER_MS = 300_000

interface MappingJobOptions<Item, Row> {
  readonly name: string
  readonly cadence: string
  readonly cron: string
  readonly account: OpenFigiAccount
  /** A job that must have succeeded once before, or null. */
  readonly masters: string | null
  loadItems(sql: Sql, now: Date, limit: number): Promise<readonly Item[]>
  feedOf(items: readonly Item[]): PagedFeed<Row>
  readonly sink: Sink<Row>
  /** How far it is, or null if there is nothing to ask for. */
  describeProgress(sql: Sql): Promise<string | null>
}

/**
 * Asks OpenFIGI each hour for some identifiers. A run is stored as a whole, and the next one goes on where it ended.
 */
export function createMappingJob<Item, Row>(options: MappingJobOptions<Item, Row>): Job {
  const { name, cadence, cron, account, masters } = options
  return {
    name,
    dataset: 'instruments',
    cadence,
    schedule: byCron(cron, JITTER_MS),
    feeds: [name],
    ...(masters === null ? {} : { needs: masters }),
    run: async ({ http, ...context }) => {
      const { database, clock } = context
      const items = await options.loadItems(database, clock.now(), identifiersPerRun(account))
      const deps = { ...context, fetchBody: fetchBodyWith(http) }
      const bound = bindFeed(options.feedOf(items), options.sink)
      const counts = items.length === 0 ? NO_ROWS : jobCounts(await runFeed(deps, bound, { kind: 'live' }))
      return { counts, note: await options.describeProgress(database), unfinished: null }
    },
  }
}
