import { asOfWhere } from '../../platform/bi-temporal/as-of-where.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'

/** What was known of the identity of an asset at an instant. */
export interface KnownIdentity {
  readonly ticker: string
  /** Names and tiers are kept for crypto assets only; the ticker and null for others. */
  readonly name: string
  readonly tier: number | null
  readonly isin: string | null
  readonly figi: string | null
  readonly cik: string | null
  readonly lei: string | null
}

/** The identities of assets as known at an instant, by their keys. An asset of which nothing was known is not in the map. */
export async function loadIdentities(
  prisma: PrismaModels,
  assetIds: readonly number[],
  asOf: Date,
): Promise<ReadonlyMap<number, KnownIdentity>> {
  const ofAssets = { assetId: { in: [...assetIds] }, ...asOfWhere(asOf) }
  const [identifiers, versions] = await Promise.all([
    prisma.instrumentIdentifier.findMany({
      where: { ...ofAssets, validTo: null },
      select: { assetId: true, scheme: true, value: true },
      orderBy: [{ occurrence: 'asc' }, { value: 'asc' }],
    }),
    prisma.assetVersion.findMany({ where: ofAssets, select: { assetId: true, name: true, tier: true } }),
  ])
  // Of several values the last one counts.
  const values = new Map(identifiers.map(({ assetId, scheme, value }) => [`${assetId} ${scheme}`, value]))
  const findValue = (assetId: number, scheme: string) => values.get(`${assetId} ${scheme}`) ?? null
  const versionOf = new Map(versions.map((version) => [version.assetId, version]))
  return new Map(
    assetIds.flatMap((assetId) => {
      const ticker = findValue(assetId, 'ticker')
      if (ticker === null) return []
      const version = versionOf.get(assetId)
      const identity = {
        ticker,
        name: version?.name ?? ticker,
        tier: version?.tier ?? null,
        isin: findValue(assetId, 'isin'),
        figi: findValue(assetId, 'figi'),
        cik: findValue(assetId, 'cik'),
        lei: findValue(assetId, 'lei'),
      }
      return [[assetId, identity]]
    }),
  )
}

/** The keys of the assets that had each ticker at an instant, as known then. */
export async function loadHoldersOfTickers(
  prisma: PrismaModels,
  tickers: readonly string[],
  asOf: Date,
): Promise<readonly number[]> {
  const rows = await prisma.instrumentIdentifier.findMany({
    where: { scheme: 'ticker', value: { in: [...tickers] }, validTo: null, ...asOfWhere(asOf) },
    select: { assetId: true },
  })
  return [...new Set(rows.map(({ assetId }) => assetId))]
}
