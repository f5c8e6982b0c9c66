import { formatCount } from '../../core/format-count.js'
import { FEEDS } from '../../ingest/registry.js'
import { type RowOf, statement } from '../../platform/database/statement.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import { commandLine } from '../../platform/installation/command-line.js'
import type { CheckWorld } from '../check.js'
import { ageSeconds, ageText, type Finding, NO_REASON, off, ok, warning } from '../finding.js'
import { scheduledJobs } from './check-jobs.js'

/** Maximum number of consecutive failures that are counted. */
const MAX_STREAK = 20

const LAST_RUN = {
  feed: 'text',
  status: 'text',
  startedAt: 'timestamptz',
  error: 'text?',
  rejected: 'int4',
  failures: 'int4',
} as const

/** The newest run of each feed that has run. */
const LAST_RUNS = statement(
  'lacks newest per key',
  LAST_RUN,
  `select l.feed, l.status, l.started_at as "startedAt", l.error, l.rejected, s.failures from unnest($1::text[]) as f(id)
   cross join lateral (
     select r.feed, r.status, r.started_at, r.error, r.rejected from ingest_run as r
     where r.feed = f.id order by r.started_at desc limit 1
   ) as l
   cross join lateral (
     select count(*)::int as failures from (
       select bool_and(n.status = 'failed') over (order by n.started_at desc) as is_streak from (
         select r.status, r.started_at from ingest_run as r where r.feed = f.id order by r.started_at desc limit ${MAX_STREAK}
       ) as n
     ) as streak where streak.is_streak
   ) as s`,
)

type LastRun = RowOf<typeof LAST_RUN>

/** Checks the newest run of each feed. Feeds that only jobs run are shown after their first run. */
export async function checkFeeds({ database, clock, config }: CheckWorld): Promise<readonly Finding[]> {
  const now = clock.now()
  const scheduled = scheduledJobs(config).flatMap(({ feeds }) => feeds)
  const own = FEEDS.map(({ feed }) => feed.id)
  const others = scheduled.filter((id) => !own.includes(id))
  const ids = [...own, ...others]
  const runs = new Map((await database.rows(LAST_RUNS, [ids])).map((run) => [run.feed, run]))
  const shown = ids.filter((id) => own.includes(id) || runs.has(id))
  return shown.map((id) => {
    const key = runs.has(id) ? undefined : missingKey(id, config.providerKeys)
    if (key !== undefined)
      return off(`feed ${id}`, `off: ${key} is not set; it reads only files`, `set ${key}`)
    if (!runs.has(id) && !scheduled.includes(id)) return off(`feed ${id}`, 'never ran')
    return judge(id, runs.get(id), { now, isOwn: own.includes(id) })
  })
}

/** The variable of a key that the feed needs and that is not set. */
function missingKey(id: string, keys: ProviderKeys): string | undefined {
  const variable = FEEDS.find(({ feed }) => feed.id === id)?.feed.keyVariable
  return variable !== undefined && keys[variable] === undefined ? variable : undefined
}

interface Judging {
  readonly now: Date
  /** Whether `ingest ID` runs the feed. */
  readonly isOwn: boolean
}

function judge(id: string, run: LastRun | undefined, { now, isOwn }: Judging): Finding {
  const check = `feed ${id}`
  if (run === undefined) return ok(check, 'never ran')
  const age = ageText(ageSeconds(run.startedAt, now))
  if (run.status === 'running') return ok(check, `running since ${age}`)
  if (run.status === 'failed') {
    const streak = run.failures < 2 ? '' : `, ${run.failures} times in a row`
    const message = `failed ${age} ago${streak}: ${run.error ?? NO_REASON}`
    const again = isOwn ? `run ${commandLine('ingest')} ${id}` : 'let the schedule run it again'
    return warning(check, message, `remove the cause and ${again}; the earlier data is unchanged`)
  }
  const rows = run.rejected > 0 ? `, ${formatCount(run.rejected, 'row')} rejected` : ''
  return ok(check, `succeeded ${age} ago${rows}`)
}
