import { openDatabase } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { createPlaces } from '../../../src/platform/quota/create-counters.js'

// A process that takes all places of a name, says so, and holds them until it is killed.

export interface PlaceOrder {
  readonly postgresUrl: string
  readonly redisUrl: string | null
  readonly name: string
  readonly limit: number
  readonly leaseMs: number
}

const order = JSON.parse(process.argv[2] ?? '') as PlaceOrder // written by the test
const database = await openDatabase({ kind: 'postgres', url: order.postgresUrl, poolSize: 2 })
const { redisUrl, leaseMs } = order
const places = createPlaces({ database, redisUrl, leaseMs, log: createLogger('silent') })
let held = 0
while ((await places.take(order.name, order.limit)) !== null) held += 1
process.stdout.write(`${held}\n`)
setInterval(() => {}, 60_000) // the renewals alone would not keep it alive
