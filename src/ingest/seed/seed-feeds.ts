import { sha256Hex } from '../../core/canonical-json.js'
import { readDatasetState } from '../../platform/database/data-version.js'
import { etfSink } from '../etf-sink.js'
import { type BoundFeed, bindFeed } from '../feed.js'
import { seedFilingsSink } from '../filings-sink.js'
import { readLastBody } from '../ledger.js'
import { eventsSink, newsSink } from '../news-sinks.js'
import { protocolsSink } from '../protocols-sink.js'
import { instrumentsBody } from '../providers/reference/instrument-facts.js'
import {
  assetOnchainSink,
  bisSink,
  bojSink,
  bokSink,
  candlesSink,
  commoditiesSink,
  forexSink,
  instrumentsSink,
  onchainSink,
  pricesSink,
  supplySink,
} from '../registry.js'
import { type RunDeps, type RunSummary, runFeed } from '../run-feed.js'
import { actionsSink, dividendsSink } from '../stock-sinks.js'
import { seedAnalysis } from './seed-analysis.js'
import { seedAssetOnchain, seedAssetOnchainBody } from './seed-asset-onchain.js'
import { seedBis, seedBisBody } from './seed-bis.js'
import { seedCandles, seedCandlesBody } from './seed-candles.js'
import { seedBoj, seedBojBody, seedBok, seedBokBody } from './seed-central-banks.js'
import { seedCommodities, seedCommoditiesBody } from './seed-commodities.js'
import { seedEtf, seedEtfBody } from './seed-etf.js'
import { seedEvents, seedEventsBody } from './seed-events.js'
import { seedFilings, seedFilingsBody } from './seed-filings.js'
import { seedForex, seedForexBody } from './seed-forex.js'
import { seedInstruments } from './seed-instruments.js'
import { seedNews, seedNewsBody } from './seed-news.js'
import { seedOnchain, seedOnchainBody } from './seed-onchain.js'
import { seedPrices, seedPricesBody } from './seed-prices.js'
import { seedProtocols, seedProtocolsBody } from './seed-protocols.js'
import { SEED_LISTS } from './seed-screening.js'
import { seedActions, seedActionsBody, seedDividends, seedDividendsBody } from './seed-stock-events.js'
import { seedSupply, seedSupplyBody } from './seed-supply.js'

/** The body of a seed feed at an instant, after the newest fact known (null: there is none); null: nothing is new. */
type SeedBody = (now: Date, newest: Date | null) => Uint8Array | null

/** The parts of the synthetic world, in the order in which they are made; each gives null where there is nothing to do. */
export const SEED_FEEDS = {
  instruments: (deps: RunDeps) => seed(deps, bindFeed(seedInstruments, instrumentsSink), instrumentsBody),
  corporate_actions: (deps: RunDeps) => seedNew(deps, bindFeed(seedActions, actionsSink), seedActionsBody),
  dividends: (deps: RunDeps) => seedNew(deps, bindFeed(seedDividends, dividendsSink), seedDividendsBody),
  forex: (deps: RunDeps) => seedNew(deps, bindFeed(seedForex, forexSink), seedForexBody),
  candles: (deps: RunDeps) => seed(deps, bindFeed(seedCandles, candlesSink), seedCandlesBody),
  supply: (deps: RunDeps) => seedNew(deps, bindFeed(seedSupply, supplySink), seedSupplyBody),
  bis: (deps: RunDeps) => seedNew(deps, bindFeed(seedBis, bisSink), seedBisBody),
  boj: (deps: RunDeps) => seedNew(deps, bindFeed(seedBoj, bojSink), seedBojBody),
  bok: (deps: RunDeps) => seedNew(deps, bindFeed(seedBok, bokSink), seedBokBody),
  onchain: (deps: RunDeps) => seedNew(deps, bindFeed(seedOnchain, onchainSink), seedOnchainBody),
  screening: (deps: RunDeps) => seedLists(deps),
  filings: (deps: RunDeps) => seedNew(deps, bindFeed(seedFilings, seedFilingsSink), seedFilingsBody),
  prices: (deps: RunDeps) => seedNew(deps, bindFeed(seedPrices, pricesSink), seedPricesBody),
  commodities: (deps: RunDeps) =>
    seedNew(deps, bindFeed(seedCommodities, commoditiesSink), seedCommoditiesBody),
  asset_onchain: (deps: RunDeps) =>
    seedNew(deps, bindFeed(seedAssetOnchain, assetOnchainSink), seedAssetOnchainBody),
  protocols: (deps: RunDeps) => seedNew(deps, bindFeed(seedProtocols, protocolsSink), seedProtocolsBody),
  news: (deps: RunDeps) => seedNew(deps, bindFeed(seedNews, newsSink), seedNewsBody),
  events: (deps: RunDeps) => seedNew(deps, bindFeed(seedEvents, eventsSink), seedEventsBody),
  etf: (deps: RunDeps) => seedNew(deps, bindFeed(seedEtf, etfSink), seedEtfBody),
  analysis: seedAnalysis,
} as const

/** Runs a feed unless its dataset is live. The same body again mends what was changed by hand. */
async function seed(deps: RunDeps, bound: BoundFeed, bodyOf: SeedBody): Promise<RunSummary | null> {
  const state = await readDatasetState(deps.database, bound.feed.dataset)
  if (state !== null && !state.isDevDataset) return null
  const bytes = bodyOf(deps.clock.now(), state?.observedAt ?? null)
  return bytes && runFeed(deps, bound, { kind: 'bytes', bytes, origin: 'generated' })
}

/** Each list is a part of its dataset, and a run of its own. */
async function seedLists(deps: RunDeps): Promise<readonly (RunSummary | null)[]> {
  const summaries: (RunSummary | null)[] = []
  for (const { bound, body } of SEED_LISTS) summaries.push(await seed(deps, bound, body))
  return summaries
}

/** As `seed`, but not for the body of the feed's last run. */
async function seedNew(deps: RunDeps, bound: BoundFeed, bodyOf: SeedBody): Promise<RunSummary | null> {
  const last = await readLastBody(deps.database, bound.feed.id)
  return seed(deps, bound, (now, newest) => {
    const bytes = bodyOf(now, newest)
    return bytes !== null && sha256Hex(bytes) === last ? null : bytes
  })
}
