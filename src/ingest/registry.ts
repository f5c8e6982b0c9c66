import { endOfPeriod } from '../core/period.js'
import { suggest } from '../core/suggest.js'
import { ecbPublication, endOfDay, type IsoDate } from '../core/time.js'
import type { CommodityPriceRow } from '../domains/commodities/model.js'
import { removeCommodityPrices, writeCommodityPrices } from '../domains/commodities/store.js'
import type { DailyPrice } from '../domains/filings/model.js'
import { removePrices, stagePrices, writePrices } from '../domains/filings/prices-store.js'
import type { Rate } from '../domains/forex/model.js'
import { removeRates, stageRates, writeRates } from '../domains/forex/store.js'
import { writeCurrencies, writeMarkets } from '../domains/instruments/codes-store.js'
import { writeCompanies } from '../domains/instruments/company-store.js'
import { withLaterIdentity } from '../domains/instruments/identifiers-store.js'
import { removeInstruments, writeInstruments } from '../domains/instruments/masters-store.js'
import type { CurrencyFacts, InstrumentFacts, MarketFacts, UsCompany } from '../domains/instruments/model.js'
import type { SupplyRow } from '../domains/market/model.js'
import { type CandleRow, removeCandles, writeCandles } from '../domains/market/store.js'
import {
  removeSupplies,
  setSupplies,
  withdrawSupplies,
  writeSupplies,
} from '../domains/market/supply-store.js'
import type { AddressSnapshot } from '../domains/onchain/model.js'
import { removeSnapshots, writeSnapshots } from '../domains/onchain/store.js'
import type { OnchainDay } from '../domains/onchain-metrics/model.js'
import { removeOnchainDays, stageOnchainDays, writeOnchainDays } from '../domains/onchain-metrics/store.js'
import { CONSENSUS_SOURCE } from './candles-policy.js'
import { type BoundFeed, bindFeed, IngestError, type Provider, SEED_SOURCE, type Sink } from './feed.js'
import { filingsSink } from './filings-sink.js'
import { macroSink } from './macro-sink.js'
import { protocolsSink } from './protocols-sink.js'
import { bisBulkFeeds, bisFile } from './providers/bis/bis-csv.js'
import { bis } from './providers/bis/provider.js'
import { bojFeed } from './providers/boj/boj.js'
import { boj } from './providers/boj/provider.js'
import { bokFeed } from './providers/bok/bok.js'
import { bok } from './providers/bok/provider.js'
import { coinMetrics } from './providers/coinmetrics/provider.js'
import { defiLlamaEconomics } from './providers/defillama/economics.js'
import { defiLlamaProtocols } from './providers/defillama/protocols.js'
import { defiLlama } from './providers/defillama/provider.js'
import { ecbDaily } from './providers/ecb/ecb-daily.js'
import { ecbHistory } from './providers/ecb/ecb-history.js'
import { ecb } from './providers/ecb/provider.js'
import { etherscan } from './providers/etherscan/provider.js'
import { euJournal } from './providers/eu-sanctions/journal-csv.js'
import { euSanctions } from './providers/eu-sanctions/provider.js'
import { evm } from './providers/evm/provider.js'
import { binance } from './providers/exchanges/binance.js'
import { bitstamp } from './providers/exchanges/bitstamp.js'
import { coinbase } from './providers/exchanges/coinbase.js'
import { kraken } from './providers/exchanges/kraken.js'
import { okx } from './providers/exchanges/okx.js'
import { cryptoDataDownload } from './providers/exchanges/provider.js'
import type { VenueAdapter } from './providers/exchanges/venue-adapter.js'
import { gleifRecords } from './providers/gleif/lei-records.js'
import { gleif } from './providers/gleif/provider.js'
import { imfCommodities } from './providers/imf/commodities.js'
import { imf } from './providers/imf/provider.js'
import { ishares } from './providers/ishares/provider.js'
import { ofac } from './providers/ofac/provider.js'
import { ofacSdn } from './providers/ofac/sdn-csv.js'
import { openFigi } from './providers/openfigi/provider.js'
import { openSanctionsDelta, openSanctionsEntities } from './providers/opensanctions/entities-json.js'
import { openSanctions } from './providers/opensanctions/provider.js'
import { openSanctionsSecurities } from './providers/opensanctions/securities-csv.js'
import { operator } from './providers/operator/provider.js'
import type { OwnSupply } from './providers/operator/supplies-file.js'
import { referenceCurrencies, referenceMarkets } from './providers/reference/codes.js'
import { referenceProvider } from './providers/reference/provider.js'
import { reference } from './providers/reference/reference.js'
import { issuanceRule, supplyByRule } from './providers/reference/supply-by-rule.js'
import { newsPublishers } from './providers/rss/provider.js'
import { companyFactsFile } from './providers/sec/company-facts.js'
import { secTickers } from './providers/sec/company-tickers.js'
import { sec } from './providers/sec/provider.js'
import { secSubmissions } from './providers/sec/submissions.js'
import { sourcify } from './providers/sourcify/provider.js'
import { worldBankCommodities } from './providers/worldbank/commodities.js'
import { worldBank } from './providers/worldbank/provider.js'
import { xtrackers } from './providers/xtrackers/provider.js'
import { endOfWindow } from './roll-up.js'
import { legalNamesSink, screeningSink } from './screening-sink.js'
import { seedProvider } from './seed/seed-provider.js'

/** Where rates go; their newest fact is the publication of the latest day, whenever it arrived. */
export const forexSink: Sink<Rate> = {
  write: writeRates,
  stage: stageRates,
  removeSeed: (tx) => removeRates(tx, SEED_SOURCE),
  newest: (rates) =>
    newestOf([...new Set(rates.map(({ date }) => date))].map((date) => ecbPublication(date))),
}

/** Where master data goes; it is as old as its last confirmation. */
export const instrumentsSink: Sink<InstrumentFacts> = {
  write: writeInstruments,
  removeSeed: (tx) => removeInstruments(tx, SEED_SOURCE),
  newest: (_facts, { knownAt }) => knownAt,
}

/** Where the reference goes: what the operator says of an asset wins, before and after, and so do tickers that SEC knows. */
const referenceSink: Sink<InstrumentFacts> = {
  ...instrumentsSink,
  write: async (tx, facts, known) =>
    writeInstruments(tx, await withLaterIdentity(tx, facts, [sec.id]), known, [operator.id]),
}

/** Where goes what the SEC says of companies: it adds to assets that are there. What the operator says of one wins. */
export const companiesSink: Sink<UsCompany> = {
  write: (tx, companies, known) => writeCompanies(tx, companies, known, [operator.id]),
  removeSeed: () => Promise.reject(new IngestError('the assets are synthetic ones: ingest reference first')),
  newest: (_companies, { knownAt }) => knownAt,
}

/** Where the codes of currencies go: facts, of which there are no synthetic ones. */
const currenciesSink: Sink<CurrencyFacts> = {
  write: writeCurrencies,
  removeSeed: async () => 0,
  newest: (_facts, { knownAt }) => knownAt,
}

/** Where the codes of markets go. */
const marketsSink: Sink<MarketFacts> = {
  write: writeMarkets,
  removeSeed: async () => 0,
  newest: (_facts, { knownAt }) => knownAt,
}

/** Where candles go; they are as new as the end of the newest window. */
export const candlesSink: Sink<CandleRow> = {
  write: writeCandles,
  removeSeed: (tx) => removeCandles(tx, SEED_SOURCE),
  newest: (candles) => newestOf(candles.map(endOfWindow)),
}

/** Where supplies go; they are as new as the newest count. What the operator says of an asset wins. */
export const supplySink: Sink<SupplyRow> = {
  write: (tx, supplies, known) => writeSupplies(tx, supplies, known, [operator.id]),
  removeSeed: (tx) => removeSupplies(tx, SEED_SOURCE),
  newest: (supplies) => newestOf(supplies.map(({ observedAt }) => observedAt)),
}

/** Where the series of the BIS go. */
export const bisSink = macroSink('bis')

/** Where the series of the Bank of Japan go. */
export const bojSink = macroSink('boj')

/** Where the series of the Bank of Korea go. */
export const bokSink = macroSink('bok')

/** Where snapshots of addresses go; they are as new as the newest block. */
export const onchainSink: Sink<AddressSnapshot> = {
  write: (tx, snapshots, { source }) => writeSnapshots(tx, snapshots, source),
  removeSeed: (tx) => removeSnapshots(tx, SEED_SOURCE),
  newest: (snapshots) => newestOf(snapshots.map(({ observedAt }) => observedAt)),
}

/** Where prices go; they are as new as the end of the newest day. */
export const pricesSink: Sink<DailyPrice> = {
  write: writePrices,
  stage: stagePrices,
  removeSeed: (tx) => removePrices(tx, SEED_SOURCE),
  newest: (prices, { knownAt }) => {
    const end = newestOf(prices.map(({ date }) => endOfDay(new Date(date))))
    return new Date(Math.min(end.getTime(), knownAt.getTime()))
  },
}

/** Where prices of commodities go; they are as new as the end of the newest month, or now while it goes on. */
export const commoditiesSink: Sink<CommodityPriceRow> = {
  write: writeCommodityPrices,
  removeSeed: (tx) => removeCommodityPrices(tx, SEED_SOURCE),
  newest: (prices, { knownAt }) => {
    const end = newestOf(prices.map(({ priceDate: start }) => endOfMonth(start)))
    return new Date(Math.min(end.getTime(), knownAt.getTime()))
  },
}

function endOfMonth(start: IsoDate): Date {
  return endOfDay(new Date(endOfPeriod({ frequency: 'monthly', start })))
}

/** Where on-chain figures of assets go; they are as new as the end of the newest day. */
export const assetOnchainSink: Sink<OnchainDay> = {
  write: writeOnchainDays,
  stage: stageOnchainDays,
  removeSeed: (tx) => removeOnchainDays(tx, SEED_SOURCE),
  newest: (days) => newestOf(days.map(({ snapshotDate }) => endOfDay(new Date(snapshotDate)))),
}

/** Where the operator's supplies go: they replace any other, and are taken back by name. */
export const ownSupplySink: Sink<OwnSupply> = {
  ...supplySink,
  write: async (tx, supplies, known) => {
    const given = supplies.flatMap(({ supply, ...row }) => (supply === null ? [] : { ...row, supply }))
    const taken = supplies.flatMap(({ supply, assetId }) => (supply === null ? assetId : []))
    const counts = await setSupplies(tx, given, known)
    const withdrawn = await withdrawSupplies(tx, taken, known)
    return {
      ...counts,
      revised: counts.revised + withdrawn,
      unchanged: counts.unchanged + taken.length - withdrawn,
    }
  },
}

/** Every venue that one-minute bars can be had from. */
export const VENUE_ADAPTERS: readonly VenueAdapter[] = [binance, bitstamp, coinbase, kraken, okx]

/** Who makes the candles that come from the bars of several venues: this gateway. */
export const consensusProvider: Provider = {
  id: CONSENSUS_SOURCE,
  name: 'Consensus of venues',
  url: 'about:blank',
  licence: 'Derived figures; the terms of each venue apply to its bars',
  attribution: `Volume-weighted prices from bars of ${VENUE_ADAPTERS.map(({ provider }) => provider.name).join(', ')}`,
  disclaimer: 'Derived from trades at several venues; not a price at which anyone has traded.',
  licensedForCommercialUse: VENUE_ADAPTERS.every(({ provider }) => provider.licensedForCommercialUse),
}

const PROVIDERS: readonly Provider[] = [
  bis,
  boj,
  bok,
  coinMetrics,
  consensusProvider,
  defiLlama,
  ecb,
  euSanctions,
  gleif,
  imf,
  ishares,
  ofac,
  openFigi,
  openSanctions,
  cryptoDataDownload,
  etherscan,
  evm,
  issuanceRule,
  newsPublishers,
  operator,
  referenceProvider,
  sec,
  seedProvider,
  sourcify,
  worldBank,
  xtrackers,
]

/** On what terms the data of a `source` may be used. Null for an unknown source. */
export function licenceOfSource(source: string): string | null {
  return PROVIDERS.find(({ id }) => id === source)?.licence ?? null
}

/** Whether the data of a `source` may be used commercially, by the terms of its provider. Null for an unknown source. */
export function allowsCommercialUse(source: string): boolean | null {
  return PROVIDERS.find(({ id }) => id === source)?.licensedForCommercialUse ?? null
}

/** Every feed that an operator may run, by id. */
export const FEEDS: readonly BoundFeed[] = [
  bindFeed(reference, referenceSink),
  bindFeed(referenceCurrencies, currenciesSink),
  bindFeed(referenceMarkets, marketsSink),
  bindFeed(supplyByRule, supplySink),
  bindFeed(ecbHistory, forexSink),
  bindFeed(ecbDaily, forexSink),
  bindFeed(bisFile, bisSink),
  ...bisBulkFeeds.map((feed) => bindFeed(feed, bisSink)),
  bindFeed(bojFeed, bojSink),
  bindFeed(bokFeed, bokSink),
  bindFeed(ofacSdn, screeningSink),
  bindFeed(euJournal, screeningSink),
  bindFeed(openSanctionsEntities, screeningSink),
  bindFeed(openSanctionsDelta, screeningSink),
  bindFeed(openSanctionsSecurities, screeningSink),
  bindFeed(gleifRecords, legalNamesSink),
  bindFeed(companyFactsFile, filingsSink),
  bindFeed(worldBankCommodities, commoditiesSink),
  bindFeed(imfCommodities, commoditiesSink),
  bindFeed(defiLlamaProtocols, protocolsSink),
  ...defiLlamaEconomics.map((feed) => bindFeed(feed, protocolsSink)),
  bindFeed(secTickers, companiesSink),
  bindFeed(secSubmissions, companiesSink),
]

/** The feed of that id; throws IngestError that names the likely one, or all. */
export function findFeed(id: string): BoundFeed {
  const bound = FEEDS.find(({ feed }) => feed.id === id)
  if (bound !== undefined) return bound
  const ids = FEEDS.map(({ feed }) => feed.id)
  const likely = suggest(id, ids)
  const hint = likely === null ? `known are ${ids.join(', ')}` : `did you mean ${likely}?`
  throw new IngestError(`there is no feed ${JSON.stringify(id)}; ${hint}`)
}

function newestOf(instants: readonly Date[]): Date {
  return new Date(instants.reduce((latest, instant) => Math.max(latest, instant.getTime()), -Infinity))
}
