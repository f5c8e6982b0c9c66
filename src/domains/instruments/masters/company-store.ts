import { toIsoDate } from '../../../core/time.js'
import { ASSET, INSTRUMENT, INSTRUMENT_IDENTIFIER } from '../../../generated/columns.js'
import type { Known, WriteCounts, WrittenRows } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import {
  type ColumnTable,
  jsonOfRows,
  jsonRows,
  only,
  selectList,
  snakeCase,
  statement,
  without,
} from '../../../platform/database/statement.js'
import { findIdentities, type IdentityFinding, US_MARKETS } from '../company-model.js'
import { writeIdentifiers, writeTickerChanges } from '../identifiers/identifiers-store.js'
import {
  type IdentifierRow,
  LIST_SOURCES,
  type ListingFacts,
  STATED_COLUMNS,
  type UsCompany,
} from '../model.js'

const LISTING = { ...only(INSTRUMENT, 'assetId', 'source'), ...STATED_COLUMNS.ofListing }

const LISTINGS = statement(
  'lacks many keys',
  { ...LISTING, ...only(ASSET, 'name') },
  `select ${selectList(LISTING, 'i')}, a.name from instrument i join asset a on a.asset_id = i.asset_id
   where a.asset_class = 'stock' and i.mic = any($1::text[])
     and (i.cik = any($2::text[]) or i.ticker = any($3::text[]))
   order by i.asset_id`,
)

// Each column but the ticker only where it is unknown.
const UPDATE_LISTINGS = `
  update instrument as i set ticker = coalesce(n.ticker, i.ticker), ${filled(without(STATED_COLUMNS.ofListing, 'ticker'))}
  from (${jsonRows(LISTING, '$1')}) as n
  where i.asset_id = n.asset_id`

const UPDATE_ASSETS = `
  update asset as a set ticker = i.ticker from instrument as i
  where i.asset_id = a.asset_id and i.is_primary and a.asset_id = any($1::int[])`

function filled(columns: ColumnTable): string {
  return Object.keys(columns)
    .map((name) => `${snakeCase(name)} = coalesce(i.${snakeCase(name)}, n.${snakeCase(name)})`)
    .join(', ')
}

/**
 * Writes the SEC's data of the stocks in the masters: missing columns, a new ticker (changed on the day of the run), and former
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
  const changed = findings.filter(({ ticker, found }) => ticker !== null || Object.keys(found).length > 0)
  if (changed.length === 0) return { added: 0, revised: 0 }
  const assetIds = changed.map(({ listing }) => listing.assetId)
  const rowsOfListings = changed.map(({ listing: { assetId }, ticker, found }) => ({
    assetId,
    ...found,
    ticker,
  }))
  await tx.rows(UPDATE_LISTINGS, [jsonOfRows(rowsOfListings)])
  await tx.rows(UPDATE_ASSETS, [assetIds])
  const day = toIsoDate(known.knownAt)
  const changes = changed.flatMap(({ listing: { assetId, ticker: formerTicker }, ticker }) =>
    ticker === null ? [] : { assetId, ticker, formerTicker, day },
  )
  await writeTickerChanges(tx, changes, known)
  const rows = changed.flatMap(({ listing: { assetId }, found }) => toIdentifierRows(assetId, found))
  if (rows.length > 0) await writeIdentifiers(tx, rows, known)
  const renamed = new Set(changed.flatMap(({ ticker, company }) => (ticker === null ? [] : company)))
  const companies = new Set(changed.map(({ company }) => company))
  return { added: companies.size - renamed.size, revised: renamed.size }
}

/** The found columns that are identifiers. */
function toIdentifierRows(assetId: number, found: ListingFacts): readonly IdentifierRow[] {
  const columns: Readonly<Record<string, unknown>> = found
  return INSTRUMENT_IDENTIFIER.scheme.values.flatMap((scheme) => {
    const value = columns[scheme]
    return typeof value === 'string' ? { assetId, scheme, value, validFrom: null, validTo: null } : []
  })
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
