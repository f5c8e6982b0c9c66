import { TARGET } from '../../core/calendars/target.js'
import { sessionsBetween } from '../../core/calendars/trading-calendar.js'
import type { IsoDate } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import type { ReleaseGap } from './manifest.js'
import type { ReleaseTable } from './release-table.js'
import { loadDays, loadMissingRuns, type ReleaseScope } from './rows-store.js'

/** More gaps are counted, not listed, so that a manifest stays small. */
const MAX_GAPS = 1_000

export interface Gaps {
  readonly gaps: readonly ReleaseGap[]
  readonly further: number
}

/** The expected periods between the first and the last row that have no row. */
export async function loadGaps(sql: Sql, table: ReleaseTable, scope: ReleaseScope): Promise<Gaps> {
  if (table.expected === 'TARGET') return targetGaps(await loadDays(sql, table, scope))
  const { runs, total } = await loadMissingRuns(sql, table, scope, MAX_GAPS)
  const gaps = runs.map(({ series, from, to, missing }): ReleaseGap => {
    const reason = 'no row is stored between these two'
    return { series, from: from.toISOString(), to: to.toISOString(), missing, reason }
  })
  return { gaps, further: total - gaps.length }
}

/** TARGET days without a rate. Days outside the coverage of the calendar are not looked at. */
function targetGaps(days: readonly string[]): Gaps {
  const covered = days.filter((day) => day >= TARGET.coversFrom && day <= TARGET.coversTo)
  const from = covered[0]
  const to = covered.at(-1)
  if (from === undefined || to === undefined) return { gaps: [], further: 0 }
  const known = new Set(days)
  // The database writes days in this form.
  const sessions = sessionsBetween(TARGET, from as IsoDate, to as IsoDate)
  const missing = sessions.map(({ date }) => date).filter((date) => !known.has(date))
  const gaps = missing.slice(0, MAX_GAPS).map((date): ReleaseGap => {
    return { series: null, from: date, to: date, missing: 1, reason: 'a TARGET day without a rate' }
  })
  return { gaps, further: missing.length - gaps.length }
}
