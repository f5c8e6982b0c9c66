import { sha256Hex } from '../../core/canonical-json.js'
import type { Provider } from '../../core/providers.js'
import { MINUTE_MS } from '../../core/time.js'
import type { BarCounts } from '../../domains/market/bar-store.js'
import type { Transaction } from '../../platform/database/database.js'
import { arraysOf, statement } from '../../platform/database/statement.js'
import { IngestError } from '../feed.js'
import { addCounts } from '../run/add-counts.js'
import { errorText, MAX_REJECTIONS_KEPT, newRunId } from '../run/ledger.js'
import { type JobCounts, jobCounts, NO_ROWS } from '../schedule/job.js'
import type { VenueHarvest } from './ask-venue.js'

/** A row of the ledger has the answers to one feed in this time, not those about one asset, which would be millions a day. */
const PERIOD_MS = 10 * MINUTE_MS

/** What answers gave to a feed. */
export interface LedgerEntry extends JobCounts, Pick<VenueHarvest, 'answers' | 'bodies' | 'rejections'> {
  readonly feed: string
  readonly provider: Pick<Provider, 'id' | 'url'>
}

interface PeriodRow extends JobCounts, Pick<LedgerEntry, 'feed' | 'provider' | 'rejections'> {
  readonly runId: string
  readonly startedAt: Date
  readonly answers: number
  /** Hash of the hash before it and of the last body, so that it depends on all bodies. */
  readonly sha256: string
  readonly bytes: number
}

/** The ledger rows of the lanes of one process. */
export interface LaneLedger {
  /**
   * Adds answers to the rows of their feeds in the transaction that stores their bars, so that the ledger has what is stored,
   * also after the process is killed. The result keeps the new figures; call it after the commit.
   */
  write(tx: Transaction, entries: readonly LedgerEntry[], now: Date): Promise<() => void>
  /** The counts of the periods that have ended since the last call; null if none has. */
  takeEnded(now: Date): JobCounts | null
}

// Plain SQL: one statement writes the rows of all feeds of an asset.
const WRITE = statement(
  'bulk',
  { written: 'int4' },
  `with written as (
     insert into ingest_run (run_id, feed, provider, dataset, origin, started_at, finished_at, status, error, body_sha256,
       body_bytes, added, revised, unchanged, rejected, absent, rejections)
     select u.run_id, u.feed, u.provider, 'candles', u.origin, u.started_at, $6, u.status, u.error, u.sha256, u.bytes,
       u.added, u.revised, u.unchanged, u.rejected, u.absent, u.rejections
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $7::text[], $8::text[], $9::text[],
       $10::int8[], $11::int[], $12::int[], $13::int[], $14::int[], $15::int[], $16::jsonb[])
       as u(run_id, feed, provider, origin, started_at, status, error, sha256, bytes, added, revised, unchanged, rejected,
         absent, rejections)
     on conflict (run_id) do update set finished_at = excluded.finished_at, status = excluded.status,
       error = excluded.error, body_sha256 = excluded.body_sha256, body_bytes = excluded.body_bytes,
       added = excluded.added, revised = excluded.revised, unchanged = excluded.unchanged,
       rejected = excluded.rejected, absent = excluded.absent, rejections = excluded.rejections
     returning 1
   ) select count(*)::int as written from written`,
)

export function createLaneLedger(): LaneLedger {
  const rows = new Map<string, PeriodRow>()
  const hasEnded = ({ startedAt }: PeriodRow, now: Date) => now.getTime() - startedAt.getTime() >= PERIOD_MS
  let ended: JobCounts | null = null
  const end = (row: PeriodRow) => {
    ended = addCounts(ended ?? NO_ROWS, jobCounts(row))
    rows.delete(row.feed)
  }
  return {
    write: async (tx, entries, now) => {
      const next = entries.map((entry) => {
        const row = rows.get(entry.feed)
        if (row !== undefined && hasEnded(row, now)) end(row)
        return addEntry(rows.get(entry.feed) ?? newRow(entry, now), entry)
      })
      if (next.length > 0) await tx.rows(WRITE, parametersOf(next, now))
      return () => {
        for (const row of next) rows.set(row.feed, row)
      }
    },
    takeEnded: (now) => {
      for (const row of [...rows.values()]) if (hasEnded(row, now)) end(row)
      const counts = ended
      ended = null
      return counts
    },
  }
}

/** What answers about an asset gave to the feeds of their venues. `bars`: what was written, by venue. */
export function harvestEntries(
  harvests: readonly VenueHarvest[],
  bars: ReadonlyMap<string, BarCounts>,
): readonly LedgerEntry[] {
  return harvests.map(({ venue, provider, answers, bodies, rejections, absent }) => {
    const { added = 0, revised = 0, unchanged = 0 } = bars.get(venue) ?? {}
    const counts = { added, revised, unchanged, rejected: rejections.length, absent }
    return { feed: `candles-${venue}`, provider, answers, bodies, rejections, ...counts }
  })
}

function newRow({ feed, provider }: LedgerEntry, startedAt: Date): PeriodRow {
  const facts = { runId: newRunId(), startedAt, answers: 0, sha256: '', bytes: 0, rejections: [] }
  return { feed, provider, ...facts, ...NO_ROWS }
}

function addEntry(row: PeriodRow, { answers, bodies, rejections, ...counts }: LedgerEntry): PeriodRow {
  return {
    ...row,
    ...addCounts(jobCounts(row), jobCounts(counts)),
    answers: row.answers + answers,
    sha256: bodies.reduce(
      (hash, body) => sha256Hex(new TextEncoder().encode(hash + body.sha256)),
      row.sha256,
    ),
    bytes: row.bytes + bodies.reduce((sum, body) => sum + body.bytes, 0),
    rejections: [...row.rejections, ...rejections].slice(0, MAX_REJECTIONS_KEPT),
  }
}

/** Failed if none of the answers could be read. */
function parametersOf(rows: readonly PeriodRow[], now: Date): readonly unknown[] {
  const isFailed = ({ answers, rejected }: PeriodRow) => answers === 0 && rejected > 0
  const column = <Value>(of: (row: PeriodRow) => Value) => rows.map(of)
  return [
    ...arraysOf(rows, 'runId', 'feed'),
    column(({ provider }) => provider.id),
    column(({ provider }) => provider.url),
    ...arraysOf(rows, 'startedAt'),
    now,
    column((row) => (isFailed(row) ? 'failed' : 'succeeded')),
    column((row) =>
      isFailed(row) ? errorText(new IngestError(row.rejections[0]?.reason ?? 'no answer')) : null,
    ),
    column(({ sha256 }) => (sha256 === '' ? null : sha256)),
    ...arraysOf(rows, 'bytes', 'added', 'revised', 'unchanged', 'rejected', 'absent'),
    column(({ rejections }) => (rejections.length === 0 ? null : JSON.stringify(rejections))),
  ]
}
