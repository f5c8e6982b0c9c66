import type { Ticker } from '../../../core/identifiers.js'
import type { Known, WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Sql, Transaction } from '../../../platform/database/database.js'
import { column, statement } from '../../../platform/database/statement.js'
import { LIST_SOURCES } from '../model.js'
import { writeIdentifiers } from './identifiers-store.js'
import type { AskedListing, ListingToAsk } from './listed-figis-model.js'

/** An unknown ticker is asked for again after so many days. */
const ASK_AGAIN_DAYS = 30

/** A preferred share, warrant, unit or right is left out: providers spell its ticker differently. */
const IS_ASKED = `a.source = any($1::text[]) and a.asset_class <> 'crypto' and i.inactive_since is null and i.security_type is null`

// Plain SQL: each statement reads or writes thousands of listings.
const DUE = statement(
  // The cast is safe: a ticker is checked before it is stored.
  { assetId: 'int4', ticker: column<Ticker>('text') },
  `select a.asset_id as "assetId", i.ticker from asset as a join instrument as i on i.instrument_id = a.asset_id
   where ${IS_ASKED} and i.figi is null
     and (i.figi_asked_at is null or i.figi_asked_at < $2::timestamptz - make_interval(days => ${ASK_AGAIN_DAYS}))
   order by i.figi_asked_at nulls first, a.asset_id limit $3`,
)

/** The listings to ask for at an instant, those that were never asked for first. */
export function loadListingsToAsk(sql: Sql, now: Date, limit: number): Promise<readonly ListingToAsk[]> {
  return sql.rows(DUE, [LIST_SOURCES, now, limit])
}

const PROGRESS = statement(
  { all: 'int4', known: 'int4', open: 'int4' },
  `select count(*)::int as all, count(i.figi)::int as known,
     count(*) filter (where i.figi is null and i.figi_asked_at is null)::int as open
   from asset as a join instrument as i on i.instrument_id = a.asset_id where ${IS_ASKED}`,
)

/** How many of the listings have a FIGI, and how many were never asked for. */
export async function loadFigiProgress(
  sql: Sql,
): Promise<{ readonly all: number; readonly known: number; readonly open: number }> {
  const [progress] = await sql.rows(PROGRESS, [LIST_SOURCES])
  return progress ?? { all: 0, known: 0, open: 0 }
}

const UPDATE = statement(
  { assetId: 'int4' },
  `with answered as (select * from unnest($1::int[], $2::text[]) as n(asset_id, figi)), before as (
     select i.asset_id, i.figi from instrument as i join answered using (asset_id)
   ), stored as (
     update instrument as i set figi = coalesce(i.figi, n.figi), figi_asked_at = $3::timestamptz
     from answered as n where i.instrument_id = n.asset_id
   )
   select asset_id as "assetId" from before join answered as n using (asset_id) where before.figi is null and n.figi is not null`,
)

/** Stores the FIGIs of an answer, and that all these listings were asked for. A listing that has a FIGI keeps it. */
export async function writeListedFigis(
  tx: Transaction,
  asked: readonly AskedListing[],
  known: Known,
): Promise<WriteCounts> {
  const figiOf = new Map(asked.map(({ assetId, figi }) => [assetId, figi]))
  const found = await tx.rows(UPDATE, [[...figiOf.keys()], [...figiOf.values()], known.knownAt])
  const rows = found.flatMap(({ assetId }) => {
    const value = figiOf.get(assetId) ?? null
    return value === null ? [] : [{ assetId, scheme: 'figi' as const, value, validFrom: null, validTo: null }]
  })
  if (rows.length > 0) await writeIdentifiers(tx, rows, known)
  return { added: rows.length, revised: 0, unchanged: asked.length - rows.length }
}
