import type { Sql, Transaction } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'

const COVERAGE = {
  assetId: 'int4',
  venue: 'text',
  isListed: 'bool',
  coveredTo: 'timestamptz?',
  askedAt: 'timestamptz',
} as const

/** How far the bars of an asset at a venue are loaded. */
export interface Coverage {
  readonly assetId: number
  readonly venue: string
  /** Whether the venue knew the pair when it was last asked. */
  readonly isListed: boolean
  /** Bars that start before are loaded, as far as the venue had them; null before the first complete answer. */
  readonly coveredTo: Date | null
  /** When the last request that was answered began. */
  readonly askedAt: Date
}

// Plain SQL here and below: thousands of rows at a time, and the transactions that write bars read and write them.
const LOAD = statement(
  COVERAGE,
  `select asset_id as "assetId", venue, is_listed as "isListed", covered_to as "coveredTo", asked_at as "askedAt"
   from venue_coverage where asset_id = any($1::int[])`,
)

/** The coverage of these assets at every venue that was ever asked. */
export function loadCoverage(sql: Sql, assetIds: readonly number[]): Promise<readonly Coverage[]> {
  return sql.rows(LOAD, [assetIds])
}

const WRITE = statement(
  { written: 'int4' },
  `with written as (
     insert into venue_coverage as c (asset_id, venue, is_listed, covered_to, asked_at)
     select * from unnest($1::int[], $2::text[], $3::bool[], $4::timestamptz[], $5::timestamptz[])
     on conflict (asset_id, venue) do update set is_listed = excluded.is_listed,
       covered_to = greatest(c.covered_to, excluded.covered_to), asked_at = excluded.asked_at
     returning 1
   ) select count(*)::int as written from written`,
)

/** Stores how far bars are loaded now; the end of the coverage never moves back. */
export async function writeCoverage(tx: Transaction, rows: readonly Coverage[]): Promise<void> {
  if (rows.length === 0) return
  await tx.rows(WRITE, [
    rows.map(({ assetId }) => assetId),
    rows.map(({ venue }) => venue),
    rows.map(({ isListed }) => isListed),
    rows.map(({ coveredTo }) => coveredTo),
    rows.map(({ askedAt }) => askedAt),
  ])
}
