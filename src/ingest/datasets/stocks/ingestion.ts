import {
  withdrawTickerChanges,
  writeTickerChanges,
} from '../../../domains/instruments/identifiers/identifiers-store.js'
import {
  recordActionChanges,
  removeActionChanges,
} from '../../../domains/stocks/changes/change-record-store.js'
import {
  removeActions,
  removeDividends,
  withdrawActions,
  withdrawDividends,
  writeActions,
  writeDividends,
} from '../../../domains/stocks/store.js'
import { sumOfCounts, type WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import { SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import type { OwnAction } from '../../providers/operator/actions-file.js'
import type { OwnDividend } from '../../providers/operator/dividends-file.js'
import { listRefusedTickers } from '../instruments/refused-tickers.js'
import { seedActions, seedActionsBody, seedDividends, seedDividendsBody } from './seed-stock-events.js'

/** Removes the synthetic corporate actions with their changes. */
export async function removeSeedActions(tx: Transaction): Promise<number> {
  await removeActionChanges(tx, 'corporate_actions', SEED_SOURCE)
  return removeActions(tx, SEED_SOURCE)
}

/** Removes the synthetic dividends with their changes. */
export async function removeSeedDividends(tx: Transaction): Promise<number> {
  await removeActionChanges(tx, 'dividends', SEED_SOURCE)
  return removeDividends(tx, SEED_SOURCE)
}

/**
 * Writes corporate actions. A changed ticker goes to the identifiers of the instrument. They are as old as the
 * newest body.
 */
export const actionsSink: Sink<OwnAction> = {
  write: async (tx, actions, known) => {
    const stated = actions.flatMap((one) => (one.kind === 'stated' ? one : []))
    const changes = actions.flatMap((one) => (one.kind === 'ticker' ? one : []))
    const gone = stated.flatMap(({ isWithdrawn, row }) => (isWithdrawn ? row : []))
    const goneChanges = changes.flatMap(({ isWithdrawn, change }) => (isWithdrawn ? change : []))
    const written = await writeActions(
      tx,
      stated.flatMap(({ isWithdrawn, row }) => (isWithdrawn ? [] : row)),
      known,
    )
    const changed = await writeTickerChanges(
      tx,
      changes.flatMap(({ isWithdrawn, change }) => (isWithdrawn ? [] : change)),
      known,
    )
    const withdrawn =
      (await withdrawActions(tx, gone, known)) + (await withdrawTickerChanges(tx, goneChanges, known))
    const assetIds = [...stated.map(({ row }) => row.assetId), ...changes.map(({ change }) => change.assetId)]
    await recordActionChanges(tx, assetIds, known)
    return withTaken(sumOfCounts(written, changed), gone.length + goneChanges.length, withdrawn)
  },
  finish: async (tx) => ({ changed: 0, refused: await listRefusedTickers(tx) }),
  removeSeed: removeSeedActions,
}

/** Writes dividends. They are as old as the newest body. */
export const dividendsSink: Sink<OwnDividend> = {
  write: async (tx, dividends, known) => {
    const stated = dividends.flatMap((one) => (one.kind === 'stated' ? one.row : []))
    const gone = dividends.flatMap((one) => (one.kind === 'withdrawn' ? one.row : []))
    const written = await writeDividends(tx, stated, known)
    const withdrawn = await withdrawDividends(tx, gone, known)
    await recordActionChanges(
      tx,
      dividends.map(({ row }) => row.assetId),
      known,
    )
    return withTaken(written, gone.length, withdrawn)
  },
  removeSeed: removeSeedDividends,
}

/** A withdrawn row that was known counts as a revision. */
function withTaken(
  { added, revised, unchanged }: WriteCounts,
  taken: number,
  withdrawn: number,
): WriteCounts {
  return { added, revised: revised + withdrawn, unchanged: unchanged + taken - withdrawn }
}

/** Corporate actions and dividends from the operator's files. */
export const stocks = {
  seed: {
    corporate_actions: seedFeed(seedActions, actionsSink, seedActionsBody),
    dividends: seedFeed(seedDividends, dividendsSink, seedDividendsBody),
  },
} satisfies Ingestion
