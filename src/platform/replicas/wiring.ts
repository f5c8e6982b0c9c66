import type { Registry } from 'prom-client'
import type { Config } from '../../config.js'
import type { DatasetStates } from '../database/data-version.js'
import type { Logger } from '../logger.js'
import { createReadCounts, registerReplicaGauges } from './replica-metrics.js'
import { openReplicas, type Replicas } from './replicas.js'

export interface ReplicaParts {
  readonly metrics: Registry
  readonly log: Logger
  /** The states of all datasets that this node knows. */
  readonly current: () => DatasetStates | Promise<DatasetStates>
}

/** Creates the configured replicas with their metrics; null if none are configured. */
export function configuredReplicas(
  { replicaUrls: urls, databasePoolSize: poolSize, isPreparing }: Config,
  { metrics, log, current }: ReplicaParts,
): Replicas | null {
  if (urls.length === 0) return null
  const counts = createReadCounts(metrics)
  const replicas = openReplicas({ urls, poolSize, isPreparing, log, counts })
  registerReplicaGauges(metrics, replicas, current)
  return replicas
}
