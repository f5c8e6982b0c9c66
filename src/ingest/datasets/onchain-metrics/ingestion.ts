import { endOfDay } from '../../../core/time.js'
import type { OnchainDay } from '../../../domains/onchain-metrics/model.js'
import {
  removeOnchainDays,
  stageOnchainDays,
  undoOnchainDays,
  writeOnchainDays,
} from '../../../domains/onchain-metrics/store.js'
import { SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { newestInstant } from '../newest-instant.js'
import { seedAssetOnchain, seedAssetOnchainBody } from './seed-asset-onchain.js'

/** Writes on-chain figures of assets. They are as new as the end of the newest day. */
export const assetOnchainSink: Sink<OnchainDay> = {
  write: writeOnchainDays,
  undo: undoOnchainDays,
  stage: stageOnchainDays,
  removeSeed: (tx) => removeOnchainDays(tx, SEED_SOURCE),
  newest: (days) => newestInstant(days.map(({ snapshotDate }) => endOfDay(new Date(snapshotDate)))),
}

/** Daily on-chain figures of assets, loaded asset by asset from Coin Metrics. */
export const onchainMetrics = {
  seed: { asset_onchain: seedFeed(seedAssetOnchain, assetOnchainSink, seedAssetOnchainBody) },
} satisfies Ingestion
