// A node that delivers webhooks of the PostgreSQL database of the first argument to a receiver of this machine. The second
// argument: how long a lease lasts, milliseconds. The third one: the certificate of the receiver. Prints the number of its
// shards when it changes. SIGTERM stops it.
import { readFileSync } from 'node:fs'
import { systemClock } from '../../../../../src/core/time.js'
import { WEBHOOK_SHARDS, WEBHOOK_WORK } from '../../../../../src/domains/webhooks/conditions.js'
import { startDispatcher } from '../../../../../src/domains/webhooks/delivery/dispatcher.js'
import { openDatabase } from '../../../../../src/platform/database/database.js'
import { startShardLeases } from '../../../../../src/platform/outbox/shard-leases.js'
import { createWebhookSignatures } from '../../../../../src/platform/secrets/webhook-signatures.js'
import { processTimers } from '../../../../../src/platform/timers.js'

/** At most this many attempts of a node are in flight, so that a kill repeats no more. */
const AT_ONCE = 8

const [url = '', leaseMs = '0', certificate = ''] = process.argv.slice(2)
const database = await openDatabase({ kind: 'postgres', url, poolSize: 4 })
const ignored = () => {}
const log = {
  info: (fields: unknown) => {
    const { held } = fields as { readonly held?: number }
    if (held !== undefined) process.stdout.write(`${held} shards\n`)
  },
  warn: ignored,
}
const leases = startShardLeases({
  ...{ work: WEBHOOK_WORK, shards: WEBHOOK_SHARDS, database, log, timers: processTimers },
  leaseMs: Number(leaseMs),
})
const dispatcher = startDispatcher({
  ...{
    database,
    clock: systemClock,
    log,
    leases,
    onResult: ignored,
    queueMs: 50,
    idleMs: 50,
    atOnce: AT_ONCE,
  },
  webhooks: {
    signatures: createWebhookSignatures('a pepper for tests, 32 characters or more'),
    rules: { attempts: 20, firstRetryMs: 10, timeoutMs: 10_000 },
    privateHosts: new Set(),
    localHosts: new Set(),
  },
  guard: { ca: readFileSync(certificate, 'utf8'), isAllowed: () => true },
})
process.once('SIGTERM', async () => {
  await dispatcher.stop()
  await database.close()
})
