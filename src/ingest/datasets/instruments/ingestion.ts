import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { PROVIDERS } from '../../../core/providers.js'
import { toCompanies } from '../../../domains/instruments/company-model.js'
import type { FundLine, NamedFund } from '../../../domains/instruments/funds/fund-classes-model.js'
import { FundClassesWriter, writeFundNames } from '../../../domains/instruments/funds/fund-classes-store.js'
import { writeListedFunds } from '../../../domains/instruments/funds/listed-funds-store.js'
import { writeCurrencies, writeMarkets } from '../../../domains/instruments/identifiers/codes-store.js'
import { withLaterIdentity } from '../../../domains/instruments/identifiers/identifiers-store.js'
import { writeListedMasters } from '../../../domains/instruments/listed-masters-store.js'
import {
  assignFigis,
  assignIsins,
  listRefusedIsins,
} from '../../../domains/instruments/mapping/mapped-identifiers-store.js'
import type { MappingAnswer } from '../../../domains/instruments/mapping/mapping-questions-model.js'
import { writeMappingAnswers } from '../../../domains/instruments/mapping/mapping-questions-store.js'
import { writeCompanies } from '../../../domains/instruments/masters/company-store.js'
import {
  removeInstruments,
  withPublishedKeys,
  writeInstruments,
} from '../../../domains/instruments/masters/masters-store.js'
import type {
  CurrencyFacts,
  InstrumentFacts,
  MarketFacts,
  UsCompany,
} from '../../../domains/instruments/model.js'
import type { FigiSymbol } from '../../../domains/instruments/symbols/figi-symbols-model.js'
import { writeFigiSymbols } from '../../../domains/instruments/symbols/figi-symbols-store.js'
import type { ListedLine } from '../../../domains/instruments/symbols/listed-symbols-model.js'
import { ListedSymbolsWriter } from '../../../domains/instruments/symbols/listed-symbols-store.js'
import {
  recordActionChanges,
  removeActionChanges,
} from '../../../domains/stocks/changes/change-record-store.js'
import type { Known, WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import { bindFeed, IngestError, SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { figiSymbols } from '../../providers/openfigi/figi-symbols.js'
import { instrumentsBody } from '../../providers/reference/assets.js'
import { referenceCurrencies, referenceMarkets } from '../../providers/reference/codes.js'
import { reference } from '../../providers/reference/reference.js'
import { secFunds } from '../../providers/sec/fund-list.js'
import { secFundNames } from '../../providers/sec/fund-names.js'
import { secSymbols } from '../../providers/sec/listed-symbols.js'
import { secSubmissions } from '../../providers/sec/submissions.js'
import { rejectBody } from '../reject-body.js'
import { COIN_LISTINGS } from './coins/coin-universe-group.js'
import { listRefusedTickers } from './refused-tickers.js'
import { seedInstruments } from './seed-instruments.js'

/** Writes master data. It is as old as its last confirmation. */
export const instrumentsSink: Sink<InstrumentFacts> = {
  write: (tx, facts, known) => writeMasters(tx, facts, known),
  removeSeed: async (tx) => {
    await removeActionChanges(tx, 'instruments', SEED_SOURCE)
    return removeInstruments(tx, SEED_SOURCE)
  },
  finish: async (tx) => ({ changed: 0, refused: await listRefusedTickers(tx) }),
  newest: (_facts, { knownAt }) => knownAt,
}

/** Writes master data and records what changed in their tickers. */
async function writeMasters(
  tx: Transaction,
  facts: readonly InstrumentFacts[],
  known: Known,
  yieldsTo: readonly string[] = [],
): Promise<WriteCounts> {
  const counts = await writeInstruments(tx, facts, known, yieldsTo)
  await recordActionChanges(
    tx,
    facts.map(({ assetId }) => assetId),
    known,
  )
  return counts
}

/**
 * Writes the reference. Facts of the operator take precedence, and so do tickers of the SEC. An asset that a list published
 * first keeps its key and slug.
 */
const referenceSink: Sink<InstrumentFacts> = {
  ...instrumentsSink,
  write: async (tx, facts, known) => {
    const published = await withPublishedKeys(tx, facts)
    return writeMasters(tx, await withLaterIdentity(tx, published, [PROVIDERS.sec.id]), known, [
      PROVIDERS.operator.id,
    ])
  },
}

/** Adds facts of the SEC to existing companies. Facts of the operator take precedence. */
export const companiesSink: Sink<UsCompany> = {
  write: async (tx, companies, known) => {
    const { renamedAssetIds, ...counts } = await writeCompanies(tx, companies, known, [PROVIDERS.operator.id])
    await recordActionChanges(tx, renamedAssetIds, known)
    return counts
  },
  removeSeed: () =>
    Promise.reject(new IngestError('the stored assets are synthetic; ingest reference first')),
}

const writerOf = memoizeByObject((tx: Transaction) => new ListedSymbolsWriter(tx))

/**
 * Writes the complete list of the SEC's tickers of a day, gives known stocks their CIK and their new ticker, and makes assets of
 * the other tickers. A list that lacks much of the stored data counts as cut off.
 */
export const listedSymbolsSink: Sink<ListedLine> = {
  write: (tx, lines, known) => writerOf(tx).write(lines, known),
  finish: async (tx, known, wholeness) => {
    const { ended, kept } = await writerOf(tx).endUnlisted(known, wholeness).catch(rejectBody)
    const keptReason = kept === null ? [] : [{ position: 'end of the list', reason: kept }]
    const listed = await writerOf(tx).listNow()
    const stocks = await writeCompanies(tx, toCompanies(listed), known, [PROVIDERS.operator.id])
    const masters = await writeListedMasters(tx, listed, known, [PROVIDERS.operator.id])
    await recordActionChanges(tx, [...stocks.renamedAssetIds, ...masters.renamedAssetIds], known)
    const refused = [...keptReason, ...masters.refused, ...(await listRefusedTickers(tx))]
    return { changed: ended + stocks.added + stocks.revised + masters.changed, refused }
  },
  removeSeed: companiesSink.removeSeed,
}

/** Writes the names of classes of funds. */
export const fundNamesSink: Sink<NamedFund> = {
  write: writeFundNames,
  removeSeed: companiesSink.removeSeed,
}

const fundsWriterOf = memoizeByObject((tx: Transaction) => new FundClassesWriter(tx))

/** Writes the complete list of funds of a day, and makes ETFs of it. A list that lacks much of the stored data counts as cut off. */
export const fundsSink: Sink<FundLine> = {
  write: (tx, lines, known) => fundsWriterOf(tx).write(lines, known),
  finish: async (tx, known, wholeness) => {
    const { ended, kept } = await fundsWriterOf(tx).endUnlisted(known, wholeness).catch(rejectBody)
    const keptReason = kept === null ? [] : [{ position: 'end of the list', reason: kept }]
    const funds = await writeListedFunds(tx, known)
    await recordActionChanges(tx, funds.renamedAssetIds, known)
    return { changed: ended + funds.changed, refused: [...keptReason, ...funds.refused] }
  },
  removeSeed: companiesSink.removeSeed,
}

/** Writes the tickers that FIGIs have on the day of the run. */
export const figiSymbolsSink: Sink<FigiSymbol> = {
  write: writeFigiSymbols,
  removeSeed: companiesSink.removeSeed,
}

/** Writes answers about the United States: the FIGIs of stocks and ETFs of the SEC's lists, and the ISINs that have these FIGIs. */
export const mappingAnswersSink: Sink<MappingAnswer> = {
  write: async (tx, answers, known) => {
    const counts = await writeMappingAnswers(tx, answers, known)
    await assignFigis(tx, known)
    return counts
  },
  finish: async (tx, known) => {
    const changed = await assignIsins(tx, known)
    return { changed, refused: await listRefusedIsins(tx, known) }
  },
  removeSeed: companiesSink.removeSeed,
}

/** Writes the codes of currencies, which have no synthetic rows. */
const currenciesSink: Sink<CurrencyFacts> = {
  write: writeCurrencies,
  removeSeed: async () => 0,
}

/** Writes the codes of markets. */
const marketsSink: Sink<MarketFacts> = {
  write: writeMarkets,
  removeSeed: async () => 0,
}

/** Assets with their listings and identifiers, and the codes of currencies and markets. */
export const instruments = {
  feeds: [
    bindFeed(reference, referenceSink),
    bindFeed(referenceCurrencies, currenciesSink),
    bindFeed(referenceMarkets, marketsSink),
    bindFeed(secSymbols, listedSymbolsSink),
    bindFeed(secFundNames, fundNamesSink),
    bindFeed(secFunds, fundsSink),
    bindFeed(secSubmissions, companiesSink),
    bindFeed(figiSymbols, figiSymbolsSink),
    ...COIN_LISTINGS,
  ],
  seed: { instruments: seedFeed(seedInstruments, instrumentsSink, instrumentsBody, { mends: true }) },
} satisfies Ingestion
