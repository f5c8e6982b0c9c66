// Prepares as many different documents as the first argument says, with and without a key, of up to 240 kB, and compiles
// some; prints by how many bytes the process has grown: once its garbage is collected, and at its largest.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'graphql'
import { CompiledOperations } from '../../../../src/gateway/graphql/run/compiled-operations.js'
import { createGraphQLTransport } from '../../../../src/gateway/graphql/transport/handler.js'
import { createLogger } from '../../../../src/platform/logger.js'
import type { Exchange } from '../../../../src/platform/request/exchange.js'
import type { RequestContext } from '../../../../src/platform/request/request-context.js'
import { ANONYMOUS, type Principal } from '../../../../src/policy/principal.js'
import { scopesOfTier } from '../../../../src/policy/scopes.js'
import { graphSchema } from '../../../../src/schema.js'
import { yogaOf } from '../../../support/app/gateway-yoga.js'

const WARM_UP = 300
const LARGEST = 240_000

const CALLER: Principal = {
  kind: 'key',
  accountId: 'a',
  meterId: 'a',
  keyId: 'k',
  tier: 'pro',
  scopes: scopesOfTier('pro'),
  contract: null,
  isNarrowed: false,
  endsAt: null,
}

/** Texts that take much memory for their length, each in its own way; the number makes every one different. */
const MADE: readonly ((n: number, length: number) => string)[] = [
  // What the attack sent: aliases of an open field.
  (n) =>
    `{ ${Array.from({ length: 28 }, (_, at) => `q${n}_${at}: ai_methodology { disclaimer }`).join(' ')} }`,
  (n, length) => `{ a${n}: ai_methodology { disclaimer } }\n${'#\n'.repeat(length / 2)}`,
  (n, length) => `{ asset(id: "${n}${'x'.repeat(length)}") { data { ticker } } }`,
  (n) => `{ ${'ai_methodology { disclaimer } '.repeat(300)} a${n}: ai_methodology { disclaimer } }`,
  (n, length) => `{ nothing_${n}(a: [${'1 '.repeat(Math.min(length / 2, 1_200))}]) }`,
  (n, length) => `{ a${n}${'b'.repeat(length)}: ai_methodology { disclaimer } }`,
]

const now = new Date('2026-11-20T12:00:00Z')
const log = createLogger('silent')
const transport = createGraphQLTransport({
  schema: graphSchema,
  yoga: yogaOf(graphSchema),
  upgradeUrl: '',
  introspection: 'public',
})

async function prepare(n: number): Promise<void> {
  // Of each kind one in ten is of the largest, and one in three is sent with a key.
  const round = Math.floor(n / MADE.length)
  const length = round % 10 === 0 ? LARGEST : 100 + ((n * 7_919) % 12_000)
  const query = MADE[n % MADE.length]?.(n, length) ?? ''
  const exchange: Exchange = {
    method: 'POST',
    path: '/graphql',
    search: '',
    header: (name) => (name === 'content-type' ? 'application/json' : null),
    body: Buffer.from(JSON.stringify({ query })),
    signal: new AbortController().signal,
    whenSent: () => {},
    requestId: 'r',
    now,
    startedAt: 0,
    clientAddress: '',
    log,
  }
  // The plan reads no more of it.
  const context = { principal: round % 3 === 0 ? CALLER : ANONYMOUS, now } as RequestContext
  try {
    await transport.identify(exchange).prepare(context)
  } catch (error) {
    transport.refuse(error, exchange)
  }
}

/** As often as a document has to come to be compiled. */
const RUNS = 3
const EVERY_COMPILED = 10
let lateMs = 0
const compiled = new CompiledOperations(graphSchema, {
  nowMs: () => {
    lateMs += 1_000
    return lateMs
  },
})

/** A document of 28 fields, each time another. */
function compile(n: number): void {
  const document = parse(MADE[0]?.(n, 0) ?? '')
  for (let run = 1; run <= RUNS; run++) compiled.of(document)
}

// The engine gives back what it does not need, so that what is resident is what documents take.
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void // there since the flag is set

/** Resident bytes without garbage. */
function settled(): number {
  collect()
  return process.memoryUsage().rss
}

const count = Number(process.argv[2])
for (let n = 0; n < WARM_UP; n++) {
  await prepare(n)
  if (n % EVERY_COMPILED === 0) compile(n)
}
const before = settled()
let largest = before
for (let n = WARM_UP; n < WARM_UP + count; n++) {
  await prepare(n)
  if (n % EVERY_COMPILED === 0) compile(n)
  if (n % 100 === 0) largest = Math.max(largest, process.memoryUsage().rss)
}
process.stdout.write(
  `${JSON.stringify({ before, grown: settled() - before, grownAtMost: largest - before })}\n`,
)
