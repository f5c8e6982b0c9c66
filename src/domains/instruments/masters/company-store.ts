import { toIsoDate } from '../../../core/time.js'
import { INSTRUMENT } from '../../../generated/columns.js'
import type { Known, WriteCounts, WrittenRows } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import { arraysOf, only, statement } from '../../../platform/database/statement.js'
import { findIdentities, type IdentityFinding, US_MARKETS } from '../company-model.js'
import { writeIdentifiers, writeTickerChanges } from '../identifiers/identifiers-store.js'
import { type IdentifierRow, LIST_SOURCES, type UsCompany } from '../model.js'

// Plain SQL: one statement reads or writes thousands of listings.
const LISTINGS = statement(
  {
    ...only(INSTRUMENT, 'assetId', 'ticker', 'cik', 'lei', 'source'),
    mic: 'text',
    name: 'text',
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
 * Writes the SEC's data of the stocks in the masters: a missing CIK, a new ticker (changed on the day of the run), and former
 * names. Listings of the sources in `yieldsTo` stay unchanged. Companies that are not in the masters count as unchanged, new
 * names count as `alsoChanged`. An asset of the list itself is renamed with the list, not here. Also returns the assets with a new ticker.
 */
export async function writeCompanies(
  tx: Transaction,
  companies: readonly UsCompany[],
  known: Known,
  yieldsTo: readonly string[],
): Promise<WrittenRows & { readonly renamedAssetIds: readonly number[] }> {
  const ciks = companies.map(({ cik }) => cik)
  const tickers = companies.flatMap((company) => company.tickers)
  const listings = await tx.rows(LISTINGS, [US_MARKETS, ciks, tickers])
  const found = findIdentities(
    listings.filter(({ source }) => !yieldsTo.includes(source)),
    companies,
  )
  const findings = found.map((one) =>
    LIST_SOURCES.includes(one.listing.source) ? { ...one, ticker: null } : one,
  )
  const { added, revised } = await writeFindings(tx, findings, known)
  const alsoChanged = await writeNames(tx, findings, known)
  const renamedAssetIds = findings.flatMap(({ listing, ticker }) => (ticker === null ? [] : listing.assetId))
  return { added, revised, unchanged: companies.length - added - revised, alsoChanged, renamedAssetIds }
}

/** A company with a new ticker counts as revised. A company that only got an identifier counts as added. */
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
  await tx.rows(UPDATE_LISTINGS, [assetIds, ...arraysOf(changed, 'ticker', 'cik', 'lei')])
  await tx.rows(UPDATE_ASSETS, [assetIds])
  const day = toIsoDate(known.knownAt)
  const changes = changed.flatMap(({ listing: { assetId, ticker: formerTicker }, ticker }) =>
    ticker === null ? [] : { assetId, ticker, formerTicker, day },
  )
  await writeTickerChanges(tx, changes, known)
  const rows = changed.flatMap(({ listing: { assetId }, cik, lei }) => [
    ...toIdentifierRows(assetId, 'cik', cik),
    ...toIdentifierRows(assetId, 'lei', lei),
  ])
  if (rows.length > 0) await writeIdentifiers(tx, rows, known)
  const renamed = new Set(changed.flatMap(({ ticker, company }) => (ticker === null ? [] : company)))
  const companies = new Set(changed.map(({ company }) => company))
  return { added: companies.size - renamed.size, revised: renamed.size }
}

function toIdentifierRows(
  assetId: number,
  scheme: IdentifierRow['scheme'],
  value: string | null,
): readonly IdentifierRow[] {
  return value === null ? [] : [{ assetId, scheme, value, validFrom: null, validTo: null }]
}

/** Writes the names of companies whose former names are known. Returns the number of new and changed names. */
async function writeNames(
  tx: Transaction,
  findings: readonly IdentityFinding[],
  known: Known,
): Promise<number> {
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
  if (rows.length === 0) return 0
  const { added, revised } = await writeIdentifiers(tx, rows, known)
  return added + revised
}
