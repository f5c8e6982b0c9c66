import { groupBy } from '../../../core/group-by.js'
import { parseMic, parseTicker } from '../../../core/identifiers.js'
import type { TableRow } from './columns.js'

/** The stored masters, which decide contradictions about them. */
interface HeldByMasters {
  readonly slugById: ReadonlyMap<number, string>
  /** By ticker and market, as `NVDA XNAS`. */
  readonly slugByListing: ReadonlyMap<string, string>
}

/** The claims of one line, including those that two slugs cannot share. */
interface Claim {
  readonly row: TableRow
  readonly slug: string
  readonly text: string
  /** Null if the line has none, or if the masters have it. */
  readonly assetId: string | null
  readonly listing: string | null
}

/**
 * The contradictory lines of a file of assets, each with the reason: lines that differ about one slug, and lines
 * that give two slugs the same new asset_id or the same free listing. None of them can be trusted.
 */
export function contradictedRows(
  rows: readonly TableRow[],
  columns: readonly string[],
  held: HeldByMasters,
): ReadonlyMap<TableRow, string> {
  const claims = rows.map((row) => claimOf(row, columns, held)).filter(({ slug }) => slug !== '')
  return new Map([
    ...contradictions(claims, {
      keyOf: ({ listing }) => listing,
      saysOf: ({ slug }) => slug,
      explain: ({ listing }, { slug }) => `${listing?.replace(' ', ' on ')} belongs to ${slug}`,
    }),
    ...contradictions(claims, {
      keyOf: ({ assetId }) => assetId,
      saysOf: ({ slug }) => slug,
      explain: ({ assetId }, { slug }) => `asset_id ${assetId} belongs to ${slug}`,
    }),
    ...contradictions(claims, {
      keyOf: ({ slug }) => slug,
      saysOf: ({ text }) => text,
      explain: ({ slug }) => `${slug} differs`,
    }),
  ])
}

function claimOf(row: TableRow, columns: readonly string[], held: HeldByMasters): Claim {
  const assetId = row.cell('asset_id') ?? ''
  const ticker = parseTicker(row.cell('ticker') ?? '')
  const mic = parseMic(row.cell('mic') ?? '')
  const listing = ticker === null || mic === null ? null : `${ticker} ${mic}`
  return {
    row,
    slug: row.cell('slug') ?? '',
    text: JSON.stringify(columns.map((column) => row.cell(column))),
    assetId: assetId === '' || held.slugById.has(Number(assetId)) ? null : assetId,
    listing: listing === null || held.slugByListing.has(listing) ? null : listing,
  }
}

interface Rule {
  /** Null if the line makes no such claim. */
  readonly keyOf: (claim: Claim) => string | null
  /** The value that all lines of one key must share. */
  readonly saysOf: (claim: Claim) => string
  readonly explain: (claim: Claim, other: Claim) => string
}

function contradictions(
  claims: readonly Claim[],
  { keyOf, saysOf, explain }: Rule,
): readonly (readonly [TableRow, string])[] {
  const groups = groupBy(
    claims.filter((claim) => keyOf(claim) !== null),
    (claim) => keyOf(claim) ?? '',
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    const second = group.find((claim) => saysOf(claim) !== saysOf(first))
    if (second === undefined) return []
    return group.map((claim): readonly [TableRow, string] => {
      const other = saysOf(claim) === saysOf(first) ? second : first
      return [claim.row, `${explain(claim, other)} on line ${other.row.line}; neither is used`]
    })
  })
}
