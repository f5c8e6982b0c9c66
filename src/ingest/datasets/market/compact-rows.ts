import { loadCompactSince } from '../../../domains/market/compact/form-store.js'
import { convertBars, emptyConvertedPartitions } from '../../../domains/market/compact/old-bar-store.js'
import { convertCandles } from '../../../domains/market/compact/old-candle-store.js'
import type { Database, Transaction } from '../../../platform/database/database.js'
import { tryLockDataset } from '../../run/lock-dataset.js'

/** The rows that a batch converted. */
export interface ConvertedRows {
  readonly candles: number
  readonly bars: number
}

/** Why no batch was converted: the operator has not started it, a writer has the dataset, or no row is left. */
export type NoBatch = 'not started' | 'busy' | 'done'

/**
 * Converts a batch of candles and bars of before to the compact form, in a transaction of some 10 ms. It never waits for a
 * writer, and a writer waits for one batch at most. A killed process leaves whole batches; the rows that are left say where to
 * go on.
 */
export async function convertBatch(database: Database): Promise<ConvertedRows | NoBatch> {
  const converted = await database.transaction(async (tx): Promise<ConvertedRows | NoBatch> => {
    if ((await loadCompactSince(tx)) === null) return 'not started'
    if (!(await tryLockDataset(tx, 'candles'))) return 'busy'
    return convertSome(tx)
  })
  if (converted === 'done') await freeSpace(database)
  return converted
}

async function convertSome(tx: Transaction): Promise<ConvertedRows | 'done'> {
  const candles = await convertCandles(tx)
  const bars = candles > 0 ? 0 : await convertBars(tx)
  return candles + bars === 0 ? 'done' : { candles, bars }
}

/** Longest wait for a partition: requests for it wait behind. */
const LOCK_MS = 1_000

function freeSpace(database: Database): Promise<void> {
  return database.transaction(async (tx) => {
    if (!(await tryLockDataset(tx, 'candles'))) return
    await tx.rows(`set local lock_timeout = ${LOCK_MS}`)
    await emptyConvertedPartitions(tx)
  })
}
