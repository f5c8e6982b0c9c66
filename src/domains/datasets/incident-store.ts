import type { DatasetName } from '../../core/datasets.js'
import type { Sql } from '../../platform/database/database.js'
import { column, type RowOf, statement } from '../../platform/database/statement.js'
import type { Incident } from './model.js'
import { CANDLES_CHECK } from './run-store.js'

/** The newest failed runs that are read: those of twenty feeds that fail each day of a quarter of a year are not more. */
const MAX_FAILURES = 2_000

/** More than anybody reads. */
export const MAX_INCIDENTS = 1_000

const FAILURES = {
  dataset: column<DatasetName>('text'),
  feed: 'text',
  source: 'text?',
  startedAt: 'timestamptz',
  endedAt: 'timestamptz?',
  failedRuns: 'int4',
  cause: column<NonNullable<Incident['cause']>>('text?'),
} as const

/**
 * Failed runs of a feed with the same next success are one incident. Each looks up that success in the index. A scheduled check of
 * the candles that needed several attempts is one too.
 */
const INCIDENTS = statement(
  'lacks union',
  FAILURES,
  `with failed as (
     select r.dataset, r.feed, r.provider, r.started_at, r.cause from ingest_run as r
     where r.status = 'failed' and r.started_at >= $1 order by r.started_at desc limit ${MAX_FAILURES}
   )
   select f.dataset, f.feed, f.provider as source, min(f.started_at) as "startedAt", s.finished_at as "endedAt",
     count(*)::int4 as "failedRuns", (array_agg(f.cause order by f.started_at desc))[1] as cause
   from failed as f left join lateral (
     select s.finished_at from ingest_run as s where s.feed = f.feed and s.status = 'succeeded' and s.started_at > f.started_at
     order by s.started_at limit 1
   ) as s on true
   group by f.dataset, f.feed, f.provider, s.finished_at
   union all
   (select 'candles', '${CANDLES_CHECK}', null, j.due_at, case when j.status = 'succeeded' then j.finished_at end, j.attempt - 1, null
   from job_run as j where j.job = '${CANDLES_CHECK}' and j.attempt > 1 and j.due_at >= $1
   order by j.due_at desc limit ${MAX_INCIDENTS})
   order by 4 desc, 1, 2 limit ${MAX_INCIDENTS}`,
)

/** Loads the times since an instant in which runs failed, the newest first. */
export function loadFailures(sql: Sql, since: Date): Promise<readonly RowOf<typeof FAILURES>[]> {
  return sql.rows(INCIDENTS, [since])
}
