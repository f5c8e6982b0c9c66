import { callOf } from '../../assembly/call-of.js'
import { FEEDS } from '../../ingest/registry.js'
import type { Sql } from '../../platform/database/database.js'
import { type RowOf, statement } from '../../platform/database/statement.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import { ageText, type Finding, ok, warning } from './finding.js'

const LAST_RUN = {
  feed: 'text',
  status: 'text',
  startedAt: 'timestamptz',
  error: 'text?',
  rejected: 'int4',
} as const

/** The newest run of each feed; feeds that never ran are left out. */
const LAST_RUNS = statement(
  LAST_RUN,
  `select l.feed, l.status, l.started_at as "startedAt", l.error, l.rejected from unnest($1::text[]) as f(id)
   cross join lateral (
     select r.feed, r.status, r.started_at, r.error, r.rejected from ingest_run as r
     where r.feed = f.id order by r.started_at desc limit 1
   ) as l`,
)

type LastRun = RowOf<typeof LAST_RUN>

/** Per feed how its newest run ended, or that it is off. */
export async function checkFeeds(sql: Sql, now: Date, keys: ProviderKeys): Promise<readonly Finding[]> {
  const ids = FEEDS.map(({ feed }) => feed.id)
  const runs = new Map((await sql.rows(LAST_RUNS, [ids])).map((run) => [run.feed, run]))
  return FEEDS.map(({ feed: { id, keyVariable } }) => {
    const isOff = keyVariable !== undefined && keys[keyVariable] === undefined
    if (isOff && !runs.has(id)) return ok(`feed ${id}`, `off: ${keyVariable} is not set; reads files only`)
    return judge(id, runs.get(id), now)
  })
}

function judge(id: string, run: LastRun | undefined, now: Date): Finding {
  const check = `feed ${id}`
  if (run === undefined) return ok(check, 'never ran')
  const age = ageText(Math.max(0, Math.floor((now.getTime() - run.startedAt.getTime()) / 1_000)))
  if (run.status === 'running') return ok(check, `running since ${age}`)
  if (run.status === 'failed') {
    const message = `failed ${age} ago: ${run.error ?? 'no reason was noted'}`
    return warning(
      check,
      message,
      `remove the cause and run ${callOf('ingest')} ${id}; the data before it stayed`,
    )
  }
  const rows = run.rejected > 0 ? `, ${run.rejected} rows rejected` : ''
  return ok(check, `succeeded ${age} ago${rows}`)
}
