import type { IsoDate } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { type RowOf, selectList, statement } from '../../platform/database/statement.js'
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

/** Exchanges are asked all the time, and the ledger has no run of it. This job checks each minute that their candles arrive. */
export const CANDLES_CHECK = 'candles'

const RUN_DAY = { dataset: 'text', date: 'date', hasSucceeded: 'bool', hasFailed: 'bool' } as const

export type RunDay = RowOf<typeof RUN_DAY>

/** Looks a success of each day up in the index, because a day may have thousands of runs. Failed runs are few. */
const RUN_DAYS = statement(
  'lacks computed value',
  RUN_DAY,
  `with failed as (
     select f.dataset, (f.started_at at time zone 'UTC')::date as date from ingest_run as f
     where f.status = 'failed' and f.started_at >= $2::date::timestamp at time zone 'UTC'
     union
     select 'candles', (j.due_at at time zone 'UTC')::date from job_run as j
     where j.job = '${CANDLES_CHECK}' and j.attempt > 1 and j.due_at >= $2::date::timestamp at time zone 'UTC'
   ), days as (
     select r.dataset, day.start, (day.start at time zone 'UTC')::date as date from unnest($1::text[]) as r(dataset)
     cross join generate_series($2::date::timestamp at time zone 'UTC', $3::date::timestamp at time zone 'UTC',
       interval '1 day') as day(start)
   ), ends as (
     select d.dataset, d.date, f.date is not null as "hasFailed", exists (
         select from ingest_run as s where s.dataset = d.dataset and s.status = 'succeeded'
           and s.started_at >= d.start and s.started_at < d.start + interval '1 day'
       ) or (d.dataset = 'candles' and exists (
         select from job_run as s where s.job = '${CANDLES_CHECK}' and s.status = 'succeeded'
           and s.due_at >= d.start and s.due_at < d.start + interval '1 day'
       )) as "hasSucceeded"
     from days as d left join failed as f on f.dataset = d.dataset and f.date = d.date
   )
   select e.dataset, e.date, e."hasSucceeded", e."hasFailed" from ends as e
   where e."hasSucceeded" or e."hasFailed" order by e.dataset, e.date`,
)

/** Loads the days on which runs of these datasets began and ended, oldest first. */
export function loadRunDays(
  sql: Sql,
  datasets: readonly string[],
  { from, to }: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<readonly RunDay[]> {
  return sql.rows(RUN_DAYS, [datasets, from, to])
}
