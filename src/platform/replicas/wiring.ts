import type { Registry } from 'prom-client'
import type { Config } from '../../config.js'
import type { DataVersions } from '../database/versions/data-versions.js'
import type { Logger } from '../logger.js'
import { createReadCounts, registerReplicaGauges } from './replica-metrics.js'
import { openReplicas, type Replicas } from './replicas.js'

export interface ReplicaParts {
  readonly metrics: Registry
  readonly log: Logger
  readonly versions: Pick<DataVersions, 'current'>
}

/** Creates the configured replicas with their metrics; null if none are configured. */
export function configuredReplicas(
  { replicaUrls: urls, databasePoolSize: poolSize, isPreparing }: Config,
  { metrics, log, versions }: ReplicaParts,
): Replicas | null {
  if (urls.length === 0) return null
  const counts = createReadCounts(metrics)
  const replicas = openReplicas({ urls, poolSize, isPreparing, log, counts })
  registerReplicaGauges(metrics, replicas, () => versions.current())
  return replicas
}
