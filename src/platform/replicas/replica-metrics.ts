import { Counter, Gauge, type Registry } from 'prom-client'
import { CoalescedRead } from '../coalesced-read.js'
import type { DatasetStates } from '../database/versions/data-version.js'
import type { ReadCounts, Replicas } from './replicas.js'

/** Label of the primary; labels of replicas are numbers. */
const PRIMARY = 'primary'

/** Counts reads by server. */
export function createReadCounts(metrics: Registry): ReadCounts {
  const registers = [metrics]
  const reads = new Counter({
    name: 'gateway_data_reads_total',
    help: 'Runs of operations that only read datasets, by the server that all rows came from: primary, or number of the replica.',
    labelNames: ['server'],
    registers,
  })
  const givenUp = new Counter({
    name: 'gateway_replica_given_up_total',
    help: 'Runs that started on a replica and were repeated, because it failed or a commit arrived.',
    labelNames: ['replica'],
    registers,
  })
  return {
    onPrimary: () => reads.inc({ server: PRIMARY }),
    onReplica: (server) => reads.inc({ server }),
    givenUp: (replica) => givenUp.inc({ replica }),
  }
}

/** Shows the state of each replica when metrics are scraped, also while no request reads it. */
export function registerReplicaGauges(
  metrics: Registry,
  replicas: Replicas,
  current: () => DatasetStates | Promise<DatasetStates>,
): void {
  const registers = [metrics]
  const labelNames = ['replica']
  const look = new CoalescedRead(async () => {
    // An unreachable primary says nothing about the replicas.
    const datasets: DatasetStates = await Promise.resolve(current()).catch(() => new Map())
    await Promise.all(replicas.all.map((replica) => replica.check()))
    for (const replica of replicas.all) replica.compare(datasets)
  })
  new Gauge({
    name: 'gateway_replica_up',
    help: '1: the replica answers and is in recovery, so it is used for reads; 0: it is excluded.',
    labelNames,
    registers,
    aggregator: 'min',
    async collect() {
      await look.join()
      for (const { name, isUp } of replicas.all) this.set({ replica: name }, isUp ? 1 : 0)
    },
  })
  new Gauge({
    name: 'gateway_replica_lag_seconds',
    help: 'How long the replica takes, or took last, to get the data versions that this node knows; 0 if it has all, or is down.',
    labelNames,
    registers,
    aggregator: 'max',
    async collect() {
      await look.join()
      for (const { name, lagMs } of replicas.all) this.set({ replica: name }, lagMs / 1_000)
    },
  })
}
