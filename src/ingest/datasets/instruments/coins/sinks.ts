import { memoizeByObject } from '../../../../core/memoize-by-object.js'
import {
  type ConfirmedCoin,
  writeConfirmedCoins,
} from '../../../../domains/instruments/coins/coin-agreement-store.js'
import type { CoinListingLine } from '../../../../domains/instruments/coins/coin-listings-model.js'
import { CoinListingsWriter } from '../../../../domains/instruments/coins/coin-listings-store.js'
import { writeCoinMasters } from '../../../../domains/instruments/coins/coin-masters-store.js'
import { writeInstruments } from '../../../../domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../../../domains/instruments/model.js'
import { recordActionChanges } from '../../../../domains/stocks/changes/change-record-store.js'
import type { Transaction } from '../../../../platform/database/database.js'
import { IngestError, type Sink } from '../../../feed.js'
import { CURRENCIES } from '../../../providers/reference/codes.js'
import { rejectBody } from '../../reject-body.js'

const CURRENCY_CODES = new Set(CURRENCIES.map(({ code }) => code))

const writerOf = memoizeByObject((tx: Transaction) => new CoinListingsWriter(tx))

const removeSeed = () =>
  Promise.reject(new IngestError('the stored assets are synthetic; ingest reference first'))

/** Writes the complete list of one exchange, and makes assets of the coins of all lists. A list that lacks much of the stored one counts as cut off. */
export const coinListingsSink: Sink<CoinListingLine> = {
  write: (tx, lines, known) => writerOf(tx).write(lines, known),
  finish: async (tx, known) => {
    const { ended, kept } = await writerOf(tx).endUnlisted(known).catch(rejectBody)
    const masters = await writeCoinMasters(tx, known, CURRENCY_CODES)
    await recordActionChanges(tx, masters.renamedAssetIds, known)
    const keptReason = kept === null ? [] : [{ position: 'end of the list', reason: kept }]
    return { changed: ended + masters.changed, refused: [...keptReason, ...masters.refused] }
  },
  removeSeed,
}

/** Confirms coins about which exchanges agree. */
export const confirmedCoinsSink: Sink<ConfirmedCoin> = {
  write: writeConfirmedCoins,
  removeSeed,
}

/** Writes coins with another tier. */
export const coinTiersSink: Sink<InstrumentFacts> = {
  write: (tx, facts, known) => writeInstruments(tx, facts, known),
  removeSeed,
}
