import type { Known } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import { type Statement, statement } from '../../../platform/database/statement.js'
import { writeIdentifiers } from '../identifiers/identifiers-store.js'
import type { RefusedLine } from '../masters/stored-master-model.js'
import { type IdentifierRow, LIST_SOURCES } from '../model.js'
import { UNITED_STATES } from './mapping-questions-model.js'
import { IS_LISTED } from './mapping-questions-store.js'

const GIVEN = { assetId: 'int4', value: 'text' } as const

// The empty text gives the FIGI a type without null.
const ASSIGN_FIGIS = statement(
  'bulk',
  GIVEN,
  `with given as (
     select i.instrument_id, a.asset_id, q.figi
     from mapping_question as q join instrument as i on i.ticker = q.value join asset as a on a.asset_id = i.instrument_id
     where q.scheme = 'ticker' and q.market = '${UNITED_STATES}' and q.asked_at = $2 and q.figi is not null and i.figi is null and ${IS_LISTED}
   ), stored as (
     update instrument as i set figi = given.figi from given where given.instrument_id = i.instrument_id
   )
   select asset_id as "assetId", figi || '' as value from given order by asset_id`,
)

/** Listings by the ISINs that have their FIGI. `is_new`: whether the ISIN was asked for at the instant. */
const MATCHED = `matched as (
    select i.instrument_id, a.asset_id, a.slug, i.isin as stored, q.value as isin, q.asked_at = $2 as is_new,
      count(*) over (partition by i.instrument_id) as isins, count(*) over (partition by q.value) as assets
    from mapping_question as q join instrument as i on i.figi = q.figi join asset as a on a.asset_id = i.asset_id
    where q.scheme = 'isin' and q.market = '${UNITED_STATES}' and ${IS_LISTED}
  )`

const ASSIGN_ISINS = statement(
  'bulk',
  GIVEN,
  `with ${MATCHED}, given as (
     select instrument_id, asset_id, isin from matched as m
     where stored is null and isins = 1 and assets = 1 and not exists (select 1 from instrument as o where o.isin = m.isin)
   ), stored as (
     update instrument as i set isin = given.isin from given where given.instrument_id = i.instrument_id
   )
   select asset_id as "assetId", isin as value from given order by asset_id`,
)

/**
 * Gives listings without a FIGI the one in the answer about their ticker, of the answers that became known at that instant: an
 * earlier one may be about another security. Returns the number of listings that got one.
 */
export function assignFigis(tx: Transaction, known: Known): Promise<number> {
  return assign(tx, ASSIGN_FIGIS, 'figi', known)
}

/**
 * Gives listings the ISIN that has their FIGI. A listing that has an ISIN keeps it, and of several ISINs with its FIGI it gets
 * none. Returns the number of listings that got one.
 */
export function assignIsins(tx: Transaction, known: Known): Promise<number> {
  return assign(tx, ASSIGN_ISINS, 'isin', known)
}

async function assign(
  tx: Transaction,
  assignment: Statement<{ readonly assetId: number; readonly value: string }>,
  scheme: IdentifierRow['scheme'],
  known: Known,
): Promise<number> {
  const given = await tx.rows(assignment, [LIST_SOURCES, known.knownAt])
  const rows = given.map((one) => ({ ...one, scheme, validFrom: null, validTo: null }))
  if (rows.length > 0) await writeIdentifiers(tx, rows, known)
  return rows.length
}

const REFUSED = statement(
  'lacks window function',
  { isin: 'text', slug: 'text', stored: 'text?' },
  `with ${MATCHED}
   select isin, slug, stored from matched where is_new and stored is distinct from isin order by isin, slug`,
)

/** Why ISINs that were asked for at that instant, and have the FIGI of a listing, are not its ISIN. */
export async function listRefusedIsins(tx: Transaction, { knownAt }: Known): Promise<readonly RefusedLine[]> {
  const found = await tx.rows(REFUSED, [LIST_SOURCES, knownAt])
  return found.map(({ isin, slug, stored }) => ({
    position: isin,
    reason:
      stored === null
        ? `several ISINs have the FIGI of ${slug}, or several assets have its FIGI; none is stored`
        : `it has the FIGI of ${slug}, which keeps the ISIN ${stored}`,
  }))
}
