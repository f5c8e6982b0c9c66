import { isoDateOf } from '../../core/time.js'
import type { Known, WriteCounts } from '../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { findIdentities, type IdentityFinding, US_MARKETS } from './company-model.js'
import { writeIdentifiers, writeTickerChanges } from './identifiers-store.js'
import type { IdentifierRow, UsCompany } from './model.js'

// Plain SQL: it runs in the transaction of the ingestion, and writes all listings at once.
const LISTINGS = statement(
  {
    assetId: 'int4',
    ticker: 'text',
    mic: 'text',
    name: 'text',
    cik: 'text?',
    lei: 'text?',
    source: 'text',
  },
  `select i.asset_id as "assetId", i.ticker, coalesce(i.mic, '') as mic, a.name, i.cik, i.lei, i.source
   from instrument i join asset a on a.asset_id = i.asset_id
   where a.asset_class = 'stock' and i.mic = any($1::text[])
     and (i.cik = any($2::text[]) or i.ticker = any($3::text[]))
   order by i.asset_id`,
)

const UPDATE_LISTINGS = `
  update instrument as i set ticker = coalesce(n.ticker, i.ticker), cik = coalesce(i.cik, n.cik), lei = coalesce(i.lei, n.lei)
  from unnest($1::int[], $2::text[], $3::text[], $4::text[]) as n(asset_id, ticker, cik, lei)
  where i.asset_id = n.asset_id`

const UPDATE_ASSETS = `
  update asset as a set ticker = i.ticker from instrument as i
  where i.asset_id = a.asset_id and i.is_primary and a.asset_id = any($1::int[])`

/**
 * Makes known what the SEC says of the stocks that the masters have: a CIK that was missing, another ticker (a change on the
 * day of the run), names that the company had. What the sources in `yieldsTo` say of a listing stays. Companies that the
 * masters do not have count as unchanged.
 */
export async function writeCompanies(
  tx: Transaction,
  companies: readonly UsCompany[],
  known: Known,
  yieldsTo: readonly string[],
): Promise<WriteCounts> {
  const ciks = companies.map(({ cik }) => cik)
  const tickers = companies.flatMap((company) => company.tickers)
  const listings = await tx.rows(LISTINGS, [US_MARKETS, ciks, tickers])
  const findings = findIdentities(
    listings.filter(({ source }) => !yieldsTo.includes(source)),
    companies,
  )
  const changed = await writeFindings(tx, findings, known)
  const named = await writeNames(tx, findings, known)
  const added = named.added + changed.added
  const revised = named.revised + changed.revised
  return { added, revised, unchanged: Math.max(0, companies.length - added - revised) }
}

/** Listings that got an identifier count as added, those with another ticker as revised. */
async function writeFindings(
  tx: Transaction,
  findings: readonly IdentityFinding[],
  known: Known,
): Promise<Pick<WriteCounts, 'added' | 'revised'>> {
  const changed = findings.filter(({ ticker, cik, lei }) =>
    [ticker, cik, lei].some((value) => value !== null),
  )
  if (changed.length === 0) return { added: 0, revised: 0 }
  const assetIds = changed.map(({ listing }) => listing.assetId)
  await tx.rows(UPDATE_LISTINGS, [
    assetIds,
    changed.map(({ ticker }) => ticker),
    changed.map(({ cik }) => cik),
    changed.map(({ lei }) => lei),
  ])
  await tx.rows(UPDATE_ASSETS, [assetIds])
  const day = isoDateOf(known.knownAt)
  const changes = changed.flatMap(({ listing: { assetId, ticker: formerTicker }, ticker }) =>
    ticker === null ? [] : { assetId, ticker, formerTicker, day },
  )
  await writeTickerChanges(tx, changes, known)
  const rows = changed.flatMap(({ listing: { assetId }, cik, lei }) => [
    ...identifier(assetId, 'cik', cik),
    ...identifier(assetId, 'lei', lei),
  ])
  if (rows.length > 0) await writeIdentifiers(tx, rows, known)
  return { added: changed.length - changes.length, revised: changes.length }
}

function identifier(
  assetId: number,
  scheme: IdentifierRow['scheme'],
  value: string | null,
): readonly IdentifierRow[] {
  return value === null ? [] : [{ assetId, scheme, value, validFrom: null, validTo: null }]
}

/** The names of the companies that say which they had. */
async function writeNames(
  tx: Transaction,
  findings: readonly IdentityFinding[],
  known: Known,
): Promise<Pick<WriteCounts, 'added' | 'revised'>> {
  const rows = findings.flatMap(({ listing: { assetId }, company: { name, formerNames } }) => {
    if (formerNames === undefined) return []
    const last =
      formerNames
        .map(({ to }) => to)
        .sort()
        .at(-1) ?? null
    const former = formerNames
      .filter((one) => one.name !== name)
      .map((one) => ({
        assetId,
        scheme: 'name' as const,
        value: one.name,
        validFrom: one.from,
        validTo: one.to,
      }))
    return [...former, { assetId, scheme: 'name' as const, value: name, validFrom: last, validTo: null }]
  })
  if (rows.length === 0) return { added: 0, revised: 0 }
  const { added, revised } = await writeIdentifiers(tx, rows, known)
  return { added, revised }
}
