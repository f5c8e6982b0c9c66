import type { AddressSnapshot } from '../../../domains/onchain/model.js'
import { removeSnapshots, writeSnapshots } from '../../../domains/onchain/store.js'
import { SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { newestInstant } from '../newest-instant.js'
import { seedOnchain, seedOnchainBody } from './seed-onchain.js'

/** Writes snapshots of addresses. They are as new as the newest block. */
export const onchainSink: Sink<AddressSnapshot> = {
  write: (tx, snapshots, { source }) => writeSnapshots(tx, snapshots, source),
  removeSeed: (tx) => removeSnapshots(tx, SEED_SOURCE),
  newest: (snapshots) => newestInstant(snapshots.map(({ observedAt }) => observedAt)),
}

/** Snapshots of addresses from the nodes of the chains. */
export const onchain = {
  seed: { onchain: seedFeed(seedOnchain, onchainSink, seedOnchainBody) },
} satisfies Ingestion
