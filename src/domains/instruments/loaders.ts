import { groupBy } from '../../core/group-by.js'
import type { InstrumentIdentifier } from '../../generated/prisma/client.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/loaders/define-loader.js'
import { loadAnswers } from './discovery/identifier-answers-store.js'
import { listIdentifiers } from './identifiers/identifiers-store.js'
import { loadFormerListings, loadListingsByTicker, loadPrimaryListings } from './store.js'
import { type FigiPeriod, loadFigiPeriods } from './symbols/figi-symbols-store.js'
import { type ListedPeriod, loadListedPeriods } from './symbols/listed-symbols-store.js'
import { MAX_PERIODS, mergePeriods, type SymbolPeriod } from './symbols/symbol-periods.js'
import { loadMasterPeriods, type MasterPeriod } from './symbols/symbol-store.js'

/** All listings with a ticker, or null. */
export const listingsByTicker = defineSharedLoader({
  load: (tickers: readonly string[], context) => loadListingsByTicker(context.database, tickers),
  batchKey: () => '',
})

/** The stored answer of the identifier service for a ticker, until it is too old. */
export const answerByTicker = defineLoader((tickers: readonly string[], context) =>
  loadAnswers(context.database.prisma, tickers, context.now),
)

/** The primary listing of an asset, by its integer key. All assets of a page share one statement. */
export const instrumentByAssetId = defineLoader((assetIds: readonly number[], context) =>
  loadPrimaryListings(context.database, assetIds),
)

/** The current listings of a former ticker, the latest change first, or null. */
export const formerListings = defineLoader((tickers: readonly string[], context) =>
  loadFormerListings(context.database, tickers),
)

/** The instrument whose identifiers are requested. `asOf` null selects what is known now. */
export interface IdentifiersKey {
  readonly assetId: number
  readonly asOf: Date | null
}

const asOfText = ({ asOf }: { readonly asOf: Date | null }) => String(asOf?.getTime() ?? 'now')

/** The identifiers of an instrument. All instruments with the same instant share one statement. */
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

/** The periods of a ticker, the latest first, or null. All tickers with the same instant share two statements. */
export const periodsOfTicker = defineLoader<
  { readonly ticker: string; readonly asOf: Date | null },
  readonly SymbolPeriod[]
>(
  async (keys, { database }) => {
    const found = new Map<string, readonly SymbolPeriod[]>()
    for (const group of groupBy(keys, asOfText).values()) {
      const [key] = group
      const tickers = group.map(({ ticker }) => ticker)
      const masters = groupBy<MasterPeriod>(
        await loadMasterPeriods(database, tickers, key.asOf),
        ({ ticker }) => ticker,
      )
      const listed = groupBy<ListedPeriod>(
        await loadListedPeriods(database, tickers, key.asOf),
        ({ requested }) => requested,
      )
      const figis = groupBy<FigiPeriod>(
        await loadFigiPeriods(database, tickers, key.asOf),
        ({ ticker }) => ticker,
      )
      for (const ticker of tickers) {
        const periods = mergePeriods({
          masters: masters.get(ticker) ?? [],
          listed: listed.get(ticker) ?? [],
          figis: figis.get(ticker) ?? [],
        })
        if (periods.length > 0) found.set(`${ticker} ${asOfText(key)}`, periods.slice(0, MAX_PERIODS))
      }
    }
    return found
  },
  (key) => `${key.ticker} ${asOfText(key)}`,
)
