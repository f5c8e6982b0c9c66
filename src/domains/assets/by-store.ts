import type { Slug } from '../../core/identifiers.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { type AssetIdentifier, identifierText } from './model.js'

/** The slug of the asset with a ticker or an ISIN; of several with the ticker, that of the lowest integer key. Null if none has it. */
export async function loadSlugByTickerOrIsin(prisma: PrismaModels, text: string): Promise<string | null> {
  const found = await prisma.asset.findFirst({
    where: { OR: [{ ticker: text }, { instruments: { some: { OR: [{ isin: text }, { ticker: text }] } } }] },
    orderBy: { assetId: 'asc' },
    select: { slug: true },
  })
  return found?.slug ?? null
}

/** The slugs of the assets that have each identifier, by its text. An identifier of no asset is not in the map. */
export async function loadSlugsByIdentifier(
  prisma: PrismaModels,
  identifiers: readonly AssetIdentifier[],
): Promise<ReadonlyMap<string, readonly Slug[]>> {
  const textsOf = (kind: AssetIdentifier['kind']) =>
    identifiers.filter((one) => one.kind === kind).map(({ text }) => text)
  const listings = textsOf('listing').map((text) => {
    const [ticker = '', mic = ''] = text.split(' ')
    return { ticker, mic }
  })
  const found = await prisma.instrument.findMany({
    where: {
      OR: [
        { assetId: { in: textsOf('asset_id').map(Number) } },
        { figi: { in: textsOf('figi') } },
        { isin: { in: textsOf('isin') } },
        ...listings,
      ],
    },
    orderBy: { instrumentId: 'asc' },
    select: {
      assetId: true,
      figi: true,
      isin: true,
      ticker: true,
      mic: true,
      asset: { select: { slug: true } },
    },
  })
  const slugs = new Map<string, Set<Slug>>()
  for (const { assetId, figi, isin, ticker, mic, asset } of found) {
    const own: readonly AssetIdentifier[] = [
      { kind: 'asset_id', text: String(assetId) },
      { kind: 'figi', text: figi ?? '' },
      { kind: 'isin', text: isin ?? '' },
      { kind: 'listing', text: `${ticker} ${mic}` },
    ]
    for (const identifier of own) {
      const text = identifierText(identifier)
      slugs.set(text, (slugs.get(text) ?? new Set()).add(asset.slug as Slug)) // only checked slugs are stored
    }
  }
  return new Map([...slugs].map(([text, some]) => [text, [...some]]))
}
