import type { Sql } from '../../platform/database/database.js'
import { selectList, statement } from '../../platform/database/statement.js'
import { type DatasetRun, RUN_COLUMNS } from './model.js'

/** More feeds than any gateway has. */
const MAX_FEEDS = 200

/**
 * Jumps from feed to feed in the index, because the ledger has millions of runs.
 */
const NEWEST_RUNS = statement(
  'lacks recursion',
  RUN_COLUMNS,
  `with recursive feeds (feed) as (
     (select r.feed from ingest_run r order by r.feed limit 1)
     union all
     select (select r.feed from ingest_run r where r.feed > f.feed order by r.feed limit 1)
     from feeds f where f.feed is not null
   )
   select ${selectList(RUN_COLUMNS, 'n')} from feeds f
   cross join lateral (select * from ingest_run r where r.feed = f.feed order by r.started_at desc limit 1) as n
   order by n.started_at desc, n.feed limit ${MAX_FEEDS}`,
)

/** Loads the newest run of every feed, the newest first. */
export function loadNewestRuns(sql: Sql): Promise<readonly DatasetRun[]> {
  return sql.rows(NEWEST_RUNS, [])
}
