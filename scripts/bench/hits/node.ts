import { loadConfig } from '../../../src/config.js'
import type { Clock } from '../../../src/core/time.js'
import { configuredYoga } from '../../../src/gateway/graphql/wiring.js'
import { Answers } from '../../../src/gateway/http/answers.js'
import { innerExchange } from '../../../src/gateway/http/inner-exchange.js'
import { Admission } from '../../../src/gateway/http/limits/admission.js'
import type { Charging } from '../../../src/gateway/http/limits/charging.js'
import { CostlyOperations } from '../../../src/gateway/http/limits/costly-operations.js'
import { newProgress } from '../../../src/gateway/http/progress.js'
import { createMetrics } from '../../../src/gateway/http/telemetry/metrics.js'
import { createRestTransport } from '../../../src/gateway/rest/handler.js'
import { publishedTexts } from '../../../src/gateway/rest/routes/published-operation.js'
import { createRestRoutes } from '../../../src/gateway/rest/routes/rest-routes.js'
import type { Database } from '../../../src/platform/database/database.js'
import { datasetsOf } from '../../../src/platform/database/versions/data-parts.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { Reply } from '../../../src/platform/request/exchange.js'
import type { LiveRequest } from '../../../src/platform/request/request-context.js'
import type { Target } from '../../../src/platform/request/transport.js'
import type { Principal } from '../../../src/policy/principal.js'
import { restSchema } from '../../../src/schema.js'
import { SERVED_SCOPES } from '../../../src/served-scopes.js'
import { createParts } from '../../../src/wiring.js'

/** More than all answers take, so that none is dropped. */
const CACHE_BYTES = String(512 * 2 ** 20)

const CALLER: Principal = {
  kind: 'key',
  accountId: 'bench',
  meterId: 'bench',
  keyId: 'bench',
  tier: 'enterprise',
  scopes: new Set(SERVED_SCOPES),
  isNarrowed: false,
  endsAt: null,
  contract: null,
}

/** Charges nobody, so that the counters in the database cost nothing. */
const FREE = { charge: () => null, refund: async () => null } as unknown as Charging // the runs of a REST route call no other

const NEVER_WAITS = {} as LiveRequest // only long polls and streams use it

/** How a question was answered. */
export interface Served {
  readonly how: 'cache' | 'not modified' | 'run'
  readonly etag: string
}

export interface Node {
  /** Asks a route, with an entity tag or null. */
  ask(path: string, tag: string | null): Promise<Served>
  /** Number of grains that the node knows of the candles. */
  grains(): Promise<number>
  close(): Promise<void>
}

export interface NodeOptions {
  readonly database: Database
  readonly clock: Clock
  /** Otherwise answers depend on whole datasets. */
  readonly hasGrains: boolean
}

/** The answers of one node without its socket: cache, entity tags and runs, with data versions of the played clock. */
export function createNode({ database, clock, hasGrains }: NodeOptions): Node {
  const log = createLogger('error', { write: (line: string) => void process.stderr.write(line) })
  const config = loadConfig({ NODE_ENV: 'test', CACHE_BYTES })
  const parts = createParts(
    { config, database, clock, log, metrics: createMetrics() },
    async () => 'Nothing is run again here.',
  )
  const costly = new CostlyOperations()
  const yoga = configuredYoga(config, {
    ...parts,
    costly,
    publishedTexts: () => publishedTexts(restSchema),
  })
  const transport = createRestTransport({ ...config, routes: createRestRoutes(restSchema), yoga })
  const answers = new Answers({
    ...parts,
    database,
    charging: FREE,
    costly,
    admission: new Admission(),
    liveOf: () => NEVER_WAITS,
  })
  const { signal } = new AbortController()
  return {
    ask: async (path, tag) => {
      const [route = '', search = ''] = path.split('?')
      const headers = new Map<string, string>()
      if (tag !== null) headers.set('if-none-match', tag)
      const exchange = innerExchange(
        { signal, whenSent: () => {}, now: clock.now(), clientAddress: 'bench', log },
        { method: 'GET', path: route, search: `?${search}`, body: null, headers },
      )
      const progress = { ...newProgress(), principal: CALLER }
      const target = transport.identify(exchange)
      const reply = await answers.serve({
        exchange,
        progress,
        transport,
        target: hasGrains ? target : withoutGrains(target),
        isPriced: false,
      })
      return { how: howOf(reply, progress.isCacheHit), etag: etagOf(reply) }
    },
    grains: async () => (await parts.versions.current()).get('candles')?.grains?.size ?? 0,
    close: () => parts.close(),
  }
}

function withoutGrains(target: Target): Target {
  return {
    ...target,
    prepare: async (context) => {
      const prepared = await target.prepare(context)
      return 'status' in prepared ? prepared : { ...prepared, reads: datasetsOf(prepared.reads) }
    },
  }
}

function howOf({ status }: Reply, isCacheHit: boolean): Served['how'] {
  if (status === 304) return 'not modified'
  if (status !== 200) throw new Error(`a question was answered with ${status}`)
  return isCacheHit ? 'cache' : 'run'
}

function etagOf({ headers }: Reply): string {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === 'etag')
  return headers[at + 1] ?? ''
}
