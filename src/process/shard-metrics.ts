import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'
import type { ShardedWork } from '../platform/outbox/shard-statements.js'
import { loadShardHolders } from '../platform/outbox/shard-store.js'
import { boundedForScrape } from './check-gauges.js'

export interface ShardGaugeOptions {
  readonly metrics: Registry
  readonly database: Database
  readonly log: Pick<Logger, 'warn'>
  readonly work: ShardedWork
  readonly shards: readonly number[]
}

/** Registers the number of these shards that each node has, read from the database, so that nodes with the same jobs report the same. */
export function registerShardGauge(
  name: string,
  { metrics, database, log, work, shards }: ShardGaugeOptions,
): void {
  const bounded = boundedForScrape(database)
  new Gauge({
    name,
    help: `Shards of the ${work.name} by node (host:process); an empty node: shards that no node has. ${shards.length} in all.`,
    labelNames: ['node'],
    registers: [metrics],
    aggregator: 'max',
    async collect() {
      this.reset()
      try {
        const held = await loadShardHolders(bounded, work)
        const holders = shards.flatMap((shard) => held.get(shard) ?? [])
        for (const node of new Set(holders)) this.set({ node }, holders.filter((one) => one === node).length)
        this.set({ node: '' }, shards.length - holders.length)
      } catch (error) {
        log.warn({ err: error }, `the shards of the ${work.name} could not be read`)
      }
    },
  })
}
