import type { DatasetName } from '../../../core/datasets.js'
import { CRYPTO_TABLES } from './crypto-tables.js'
import { MACRO_TABLES } from './macro-tables.js'
import { MARKET_TABLES } from './market-tables.js'
import { REFERENCE_TABLES } from './reference-tables.js'
import type { ReleaseTable } from './release-table.js'
import { STOCK_TABLES } from './stock-tables.js'

/** Every dataset that can be released. */
export const RELEASE_TABLES: readonly ReleaseTable[] = [
  ...MARKET_TABLES,
  ...MACRO_TABLES,
  ...STOCK_TABLES,
  ...CRYPTO_TABLES,
  ...REFERENCE_TABLES,
]

/** Why a dataset of the gateway is not released. */
export const DATASETS_NOT_RELEASED: ReadonlyMap<string, string> = new Map<DatasetName, string>([
  ['codes', 'the lists of ISO 4217 and ISO 10383 have no history'],
  ['news', 'headlines belong to their editors'],
  ['onchain', 'its addresses are those that callers requested, and have no history'],
])
