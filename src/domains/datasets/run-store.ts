import type { Sql } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import type { DatasetRun, DatasetRunStatus } from './model.js'

/** More feeds than any gateway has. */
const MAX_FEEDS = 200

/**
 * Plain SQL: one index entry per feed finds its newest run, among millions of runs. Prisma's client would read all runs to
 * find the feeds.
 */
const NEWEST_RUNS = statement(
  {
    dataset: 'text',
    feed: 'text',
    source: 'text',
    status: column<DatasetRunStatus>('text'),
    startedAt: 'timestamptz',
    finishedAt: 'timestamptz?',
    rowsChanged: 'int4',
    rowsRejected: 'int4',
  },
  `with recursive feeds (feed) as (
     (select r.feed from ingest_run r order by r.feed limit 1)
     union all
     select (select r.feed from ingest_run r where r.feed > f.feed order by r.feed limit 1)
     from feeds f where f.feed is not null
   )
   select n.dataset, n.feed, n.provider as source, n.status, n.started_at as "startedAt", n.finished_at as "finishedAt",
     n.added + n.revised + n.also_changed as "rowsChanged", n.rejected as "rowsRejected"
   from feeds f
   cross join lateral (select * from ingest_run r where r.feed = f.feed order by r.started_at desc limit 1) as n
   order by n.started_at desc, n.feed limit ${MAX_FEEDS}`,
)

/** Loads the newest run of every feed, the newest first. */
export function loadNewestRuns(sql: Sql): Promise<readonly (DatasetRun & { readonly dataset: string })[]> {
  return sql.rows(NEWEST_RUNS, [])
}
