import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../../platform/database/database.js'
import type { Counters } from '../../../platform/quota/counters.js'
import type { ResponseCache } from '../../../platform/response-cache/response-cache.js'
import { VERSION } from '../../../platform/version.js'
import type { UnsentBytes } from '../connection/unsent-bytes.js'
import type { Admission } from '../limits/admission.js'
import { type OpenStreams, STREAM_KINDS } from '../response/open-streams.js'

export interface GaugeSources {
  readonly admission: Admission
  readonly cache: ResponseCache
  readonly counters: Counters
  readonly database: Database
  readonly streams: OpenStreams
  readonly unsent: UnsentBytes
}

/** Registers gauges of the load of a node. They read current values when metrics are scraped. */
export function registerGauges(
  metrics: Registry,
  { admission, cache, counters, database, streams, unsent }: GaugeSources,
): void {
  const registers = [metrics]
  new Gauge({
    name: 'gateway_build_info',
    help: '1, with the version of the gateway and of Node.js.',
    labelNames: ['version', 'node'],
    registers,
    aggregator: 'max',
  }).set({ version: VERSION, node: process.versions.node }, 1)
  new Gauge({
    name: 'gateway_requests_admitted',
    help: 'Admitted requests by state (running, waiting).',
    labelNames: ['state'],
    registers,
    collect() {
      const { running, waiting } = admission.counts
      this.set({ state: 'running' }, running)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  new Gauge({
    name: 'gateway_streams_open',
    help: 'Open streaming replies by kind (events: server-sent events; file: exports).',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const kind of STREAM_KINDS) this.set({ kind }, streams.count(kind))
    },
  })
  new Gauge({
    name: 'gateway_cache_bytes',
    help: 'Memory of cached responses.',
    registers,
    collect() {
      this.set(cache.bytes)
    },
  })
  showUnsent(registers, unsent)
  if (database.poolUse() !== null) showPool(registers, database)
  const { isRedisUp } = counters
  if (isRedisUp !== undefined)
    new Gauge({
      name: 'gateway_redis_up',
      help: '1: counters are in Redis; 0: Redis or a part of its cluster is unreachable, and the node counts locally.',
      registers,
      aggregator: 'min',
      collect() {
        this.set(isRedisUp() ? 1 : 0)
      },
    })
}

function showUnsent(registers: Registry[], unsent: UnsentBytes): void {
  new Gauge({
    name: 'gateway_unsent_bytes',
    help: 'Bytes of replies that clients have not read yet.',
    registers,
    collect() {
      this.set(unsent.bytes)
    },
  })
  let shown = 0
  new Counter({
    name: 'gateway_connections_cut_total',
    help: 'Connections closed because their clients did not read too many bytes.',
    registers,
    collect() {
      this.inc(unsent.cuts - shown)
      shown = unsent.cuts
    },
  })
}

function showPool(registers: Registry[], database: Database): void {
  new Gauge({
    name: 'gateway_database_connections',
    help: 'Connections of the pool by state: busy, and size, the maximum.',
    labelNames: ['state'],
    registers,
    collect() {
      const { busy = 0, size = 0 } = database.poolUse() ?? {}
      this.set({ state: 'busy' }, busy)
      this.set({ state: 'size' }, size)
    },
  })
  new Gauge({
    name: 'gateway_database_waiting',
    help: 'Statements and transactions that wait for a connection.',
    registers,
    collect() {
      this.set(database.poolUse()?.waiting ?? 0)
    },
  })
}
