import { groupBy } from '../../core/group-by.js'
import type { InstrumentIdentifier } from '../../generated/prisma/client.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/define-loader.js'
import { listIdentifiers } from './identifiers-store.js'
import { loadAnswers, loadFormerListings, loadListingsByTicker, loadPrimaryListings } from './store.js'

/** All listings that carry a ticker; null for none. */
export const listingsByTicker = defineSharedLoader({
  load: (tickers: readonly string[], context) => loadListingsByTicker(context.database, tickers),
  batchKey: () => '',
})

/** The identifier service's answer to a ticker, while it is kept. */
export const answerByTicker = defineLoader((tickers: readonly string[], context) =>
  loadAnswers(context.database.prisma, tickers, context.now),
)

/** The primary listing of an asset by its integer key; one statement for all assets of a page. */
export const instrumentByAssetId = defineLoader((assetIds: readonly number[], context) =>
  loadPrimaryListings(context.database, assetIds),
)

/** What became of a ticker that was given up, the latest first; null for none. */
export const formerListings = defineLoader((tickers: readonly string[], context) =>
  loadFormerListings(context.database, tickers),
)

/** An instrument whose identifiers are asked for, as they were known at an instant; null: now. */
export interface IdentifiersKey {
  readonly assetId: number
  readonly asOf: Date | null
}

const asOfText = ({ asOf }: IdentifiersKey) => String(asOf?.getTime() ?? 'now')

/** The identifiers of an instrument; one statement for all of an instant. */
export const identifiersOfAsset = defineLoader<IdentifiersKey, readonly InstrumentIdentifier[]>(
  async (keys, { database }) => {
    const found = new Map<string, readonly InstrumentIdentifier[]>()
    for (const group of groupBy(keys, asOfText).values()) {
      const [key] = group
      const assetIds = group.map(({ assetId }) => assetId)
      for (const [assetId, own] of await listIdentifiers(database.prisma, assetIds, key.asOf))
        found.set(`${assetId} ${asOfText(key)}`, own)
    }
    return found
  },
  (key) => `${key.assetId} ${asOfText(key)}`,
)
