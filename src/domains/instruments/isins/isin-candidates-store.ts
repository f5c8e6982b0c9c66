import type { Isin } from '../../../core/identifiers.js'
import type { Known, WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Sql, Transaction } from '../../../platform/database/database.js'
import { column, statement } from '../../../platform/database/statement.js'
import { writeIdentifiers } from '../identifiers/identifiers-store.js'
import type { RefusedLine } from '../masters/stored-master-model.js'
import { LIST_SOURCES } from '../model.js'
import type { AskedIsin } from './isins-model.js'

/** An ISIN without a FIGI is asked for again after so many days. */
const ASK_AGAIN_DAYS = 30

// Plain SQL: each statement reads or writes thousands of rows.
const NOTE = `insert into isin_candidate (isin) select distinct isin from unnest($1::text[]) as n(isin) on conflict do nothing`

/** Notes ISINs of holdings, each of which may be that of an asset. */
export async function noteIsinCandidates(tx: Transaction, isins: readonly Isin[]): Promise<void> {
  if (isins.length > 0) await tx.rows(NOTE, [isins])
}

const IS_DUE = `c.figi is null and not exists (select 1 from instrument as i where i.isin = c.isin)`

const DUE = statement(
  // The cast is safe: an ISIN is checked before it is stored.
  { isin: column<Isin>('text') },
  `select c.isin from isin_candidate as c
   where ${IS_DUE} and (c.asked_at is null or c.asked_at < $1::timestamptz - make_interval(days => ${ASK_AGAIN_DAYS}))
   order by c.asked_at nulls first, not starts_with(c.isin, 'US'), c.isin limit $2`,
)

/** The ISINs to ask for at an instant: those that were never asked for first, and of these those of the United States. */
export async function loadIsinsToAsk(sql: Sql, now: Date, limit: number): Promise<readonly Isin[]> {
  return (await sql.rows(DUE, [now, limit])).map(({ isin }) => isin)
}

const IS_LISTED = `a.source = any($1::text[]) and a.asset_class in ('stock', 'etf') and i.inactive_since is null and i.security_type is null`

const PROGRESS = statement(
  { all: 'int4', known: 'int4', open: 'int4' },
  `select count(*)::int as all, count(i.isin)::int as known,
     (select count(*) from isin_candidate as c where ${IS_DUE} and c.asked_at is null)::int as open
   from asset as a join instrument as i on i.instrument_id = a.asset_id where ${IS_LISTED}`,
)

/** How many listings have an ISIN, and how many ISINs of holdings were never asked for. */
export async function loadIsinProgress(
  sql: Sql,
): Promise<{ readonly all: number; readonly known: number; readonly open: number }> {
  const [progress] = await sql.rows(PROGRESS, [LIST_SOURCES])
  return progress ?? { all: 0, known: 0, open: 0 }
}

const ANSWER = `update isin_candidate as c set figi = coalesce(n.figi, c.figi), asked_at = $3::timestamptz
  from unnest($1::text[], $2::text[]) as n(isin, figi) where n.isin = c.isin`

/** Stores the FIGIs of an answer, and that all these ISINs were asked for. */
export async function writeAskedIsins(
  tx: Transaction,
  asked: readonly AskedIsin[],
  { knownAt }: Known,
): Promise<WriteCounts> {
  await tx.rows(ANSWER, [asked.map(({ isin }) => isin), asked.map(({ figi }) => figi), knownAt])
  const added = asked.filter(({ figi }) => figi !== null).length
  return { added, revised: 0, unchanged: asked.length - added }
}

/** Assets of lists by the ISINs that have their FIGI. */
const MATCHED = `matched as (
    select i.instrument_id, a.asset_id, a.slug, i.isin as stored, c.isin,
      count(*) over (partition by i.instrument_id) as isins, count(*) over (partition by c.isin) as assets
    from isin_candidate as c join instrument as i on i.figi = c.figi join asset as a on a.asset_id = i.asset_id
    where ${IS_LISTED}
  )`

const ASSIGN = statement(
  { assetId: 'int4', isin: 'text' },
  `with ${MATCHED}, given as (
     select instrument_id, asset_id, isin from matched as m
     where stored is null and isins = 1 and assets = 1 and not exists (select 1 from instrument as o where o.isin = m.isin)
   ), stored as (
     update instrument as i set isin = given.isin from given where given.instrument_id = i.instrument_id
   )
   select asset_id as "assetId", isin from given order by asset_id`,
)

/**
 * Gives assets of lists the ISIN that has their FIGI. An asset that has an ISIN keeps it, and of several ISINs with its FIGI it gets
 * none. Returns the number of assets that got one.
 */
export async function assignIsins(tx: Transaction, known: Known): Promise<number> {
  const given = await tx.rows(ASSIGN, [LIST_SOURCES])
  const rows = given.map(({ assetId, isin: value }) => ({
    ...{ assetId, scheme: 'isin' as const, value, validFrom: null, validTo: null },
  }))
  if (rows.length > 0) await writeIdentifiers(tx, rows, known)
  return rows.length
}

const REFUSED = statement(
  { isin: 'text', slug: 'text', stored: 'text?' },
  `with ${MATCHED}
   select isin, slug, stored from matched where isin = any($2::text[]) and stored is distinct from isin order by isin, slug`,
)

/** Why ISINs that were just asked for, and have the FIGI of an asset, are not its ISIN. */
export async function listRefusedIsins(
  tx: Transaction,
  isins: readonly Isin[],
): Promise<readonly RefusedLine[]> {
  const found = await tx.rows(REFUSED, [LIST_SOURCES, isins])
  return found.map(({ isin, slug, stored }) => ({
    position: isin,
    reason:
      stored === null
        ? `several ISINs have the FIGI of ${slug}, or several assets have its FIGI; none is stored`
        : `it has the FIGI of ${slug}, which keeps the ISIN ${stored}`,
  }))
}
