import { inspect } from 'node:util'
import { systemClock } from '../../../src/core/time.js'
import { WEBHOOK_SHARDS, WEBHOOK_WORK } from '../../../src/domains/webhooks/conditions.js'
import { startDispatcher } from '../../../src/domains/webhooks/delivery/dispatcher.js'
import { openDatabase } from '../../../src/platform/database/database.js'
import { startShardLeases } from '../../../src/platform/outbox/shard-leases.js'
import { createWebhookSignatures } from '../../../src/platform/secrets/webhook-signatures.js'
import { processTimers } from '../../../src/platform/timers.js'

// One node that delivers webhooks to names that all lead to this machine. Prints the CPU time that it has used, in seconds, for
// each line that it reads, and stops at the end of its input.

export interface NodeOrder {
  readonly url: string
  readonly hosts: readonly string[]
  /** Attempts at once. */
  readonly concurrency: number
}

const { url, hosts, concurrency } = JSON.parse(process.argv[2] ?? '') as NodeOrder // written by run.ts
const database = await openDatabase({ kind: 'postgres', url, poolSize: 10 })
const log = { info: () => {}, warn: (...line: unknown[]) => void process.stderr.write(`${inspect(line)}\n`) }
const dispatcher = startDispatcher({
  ...{ database, clock: systemClock, log, onResult: () => {} },
  leases: startShardLeases({
    ...{ work: WEBHOOK_WORK, shards: WEBHOOK_SHARDS, database, log, timers: processTimers },
    leaseMs: 5_000,
  }),
  webhooks: {
    signatures: createWebhookSignatures('a pepper for benchmarks, 32 characters or more'),
    rules: { attempts: 8, firstRetryMs: 10_000, timeoutMs: 10_000, concurrency },
    privateHosts: new Set(),
    localHosts: new Set(hosts),
  },
  guard: { resolve: async () => ['127.0.0.1'] },
})
process.stdin.on('data', () => {
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${(user + system) / 1e6}\n`)
})
process.stdin.once('end', async () => {
  await dispatcher.stop()
  await database.close()
})
