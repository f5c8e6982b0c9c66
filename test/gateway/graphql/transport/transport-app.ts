import { loadConfig } from '../../../../src/config.js'
import { createGraphQLTransport } from '../../../../src/gateway/graphql/transport/handler.js'
import { configuredYoga } from '../../../../src/gateway/graphql/wiring.js'
import { CostlyOperations } from '../../../../src/gateway/http/limits/costly-operations.js'
import { createMetrics } from '../../../../src/gateway/http/telemetry/metrics.js'
import { publishedTexts } from '../../../../src/gateway/rest/routes/published-operation.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import type { Exchange, Reply, ReplyBody } from '../../../../src/platform/request/exchange.js'
import type { RequestContext } from '../../../../src/platform/request/request-context.js'
import type { PreparedOperation, RunResult, Transport } from '../../../../src/platform/request/transport.js'
import { Validity } from '../../../../src/platform/request/validity.js'
import type { Cost } from '../../../../src/policy/price.js'
import { ANONYMOUS, type Caller, type Principal } from '../../../../src/policy/principal.js'
import { scopesOfTier } from '../../../../src/policy/scopes.js'
import type { Tier } from '../../../../src/policy/tiers.js'
import { graphSchema, restSchema } from '../../../../src/schema.js'
import { createParts } from '../../../../src/wiring.js'
import type { GraphQLAnswer } from '../../../support/app/app.js'
import {
  type DatabaseKind,
  openTestDatabase,
  SEEDED_AT,
  type World,
} from '../../../support/database/database.js'

/** What a test sends. */
export interface Sent {
  /** Null: without a key. */
  readonly tier?: Tier | null
  readonly accountId?: string
  readonly method?: string
  readonly search?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** What came of it. */
export interface Came<Data = Record<string, unknown>> {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly body: GraphQLAnswer<Data>
  /** Null where the request was refused before it was prepared. */
  readonly prepared: PreparedOperation | null
  readonly made: RunResult | null
}

export type TransportApp = Awaited<ReturnType<typeof openTransport>>

/** The GraphQL transport over a real database, with what the pipeline would hand to it. */
export async function openTransport(
  kind: DatabaseKind,
  options: {
    readonly world?: World
    readonly introspection?: 'public' | 'private'
    readonly database?: Database
  } = {},
) {
  const database = options.database ?? (await openTestDatabase(kind, options.world ?? 'seeded'))
  const logLines: string[] = []
  const log = createLogger('info', { write: (line: string) => void logLines.push(line) })
  const config = loadConfig({ NODE_ENV: 'test', PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9' })
  const clock = { now: () => new Date(SEEDED_AT) }
  const parts = createParts(
    { config, database, clock, log, metrics: createMetrics() },
    async () => 'Nothing is run again here.',
  )
  logLines.length = 0 // a start warns of the address above
  const { upgradeUrl } = config
  const introspection = options.introspection ?? 'public'
  const costly = new CostlyOperations()
  const yoga = configuredYoga(
    { ...config, introspection },
    { ...parts, costly, publishedTexts: () => publishedTexts(restSchema) },
  )
  const transport = createGraphQLTransport({ schema: graphSchema, yoga, upgradeUrl, introspection })

  const exchangeOf = ({ method = 'POST', search = '', headers = {}, body, signal }: Sent): Exchange => {
    const sent: Readonly<Record<string, string>> = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    return {
      method,
      path: '/graphql',
      search,
      header: (name) => sent[name] ?? null,
      body: body === undefined ? null : body instanceof Buffer ? body : Buffer.from(textOf(body)),
      signal: signal ?? new AbortController().signal,
      whenSent: () => {},
      requestId: 'r-1',
      now: clock.now(),
      startedAt: performance.now(),
      clientAddress: 'origin',
      log,
    }
  }

  const contextOf = async (principal: Principal): Promise<RequestContext> => {
    let isEnded = false
    return {
      principal,
      database,
      now: clock.now(),
      requestId: 'r-1',
      log,
      ports: parts.ports,
      datasets: await parts.versions.current(),
      clientAddress: 'origin',
      idempotencyKey: null,
      validity: new Validity(),
      live: {
        end: () => {
          isEnded = true
        },
        isOver: async () => isEnded,
        acquirePermit: async () => () => {},
        charge: async () => null,
        refund: async () => {},
        refresh: async () => ({ now: clock.now(), datasets: await parts.versions.current() }),
      },
    }
  }

  /** As the pipeline does it: prepare, charge, run, write. */
  const send = async <Data>(sent: Sent): Promise<Came<Data>> => {
    const exchange = exchangeOf(sent)
    const context = await contextOf(principalOf(sent))
    let prepared: PreparedOperation | null = null
    try {
      const outcome = await transport.identify(exchange).prepare(context)
      if (!('run' in outcome)) return came(outcome, null, null)
      prepared = outcome
      const cost =
        context.principal.kind === 'anonymous'
          ? null
          : { charged: prepared.price.units, remaining: 0, values: prepared.price.values ?? 0 }
      const made = await prepared.run(context)
      const { status, headers, json } = made
      const body =
        json !== null
          ? framed(transport, json, cost)
          : typeof made.body === 'function'
            ? made.body(cost)
            : made.body
      return await came({ status, headers, body }, prepared, made)
    } catch (error) {
      return came(transport.refuse(error, exchange), prepared, null)
    }
  }

  return {
    database,
    transport,
    logLines,
    upgradeUrl,
    exchangeOf,
    contextOf,
    principalOf,
    send,
    ask: <Data = Record<string, unknown>>(query: string, sent: Sent & { variables?: unknown } = {}) => {
      const { variables, ...rest } = sent
      return send<Data>({ body: { query, ...(variables === undefined ? {} : { variables }) }, ...rest })
    },
    dryRun: async (query: string, sent: Sent = {}): Promise<Came> => {
      const exchange = exchangeOf({ body: { query }, ...sent })
      try {
        const prepared = await transport.identify(exchange).prepare(await contextOf(principalOf(sent)))
        if (!('run' in prepared)) return came(prepared, null, null)
        return await came(prepared.dryRun({ charged: 0, remaining: 0 }), prepared, null)
      } catch (error) {
        return came(transport.refuse(error, exchange), null, null)
      }
    },
    close: async () => {
      await parts.close()
      if (!options.database) await database.close()
    },
  }
}

function framed(transport: Transport, json: string, cost: Cost | null): string {
  const { head, tail } = transport.frame(cost)
  return head + json + tail
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function principalOf({ tier = 'pro', accountId = '00000000-0000-4000-8000-000000000001' }: Sent): Principal {
  if (tier === null) return ANONYMOUS
  const caller: Caller = {
    kind: 'key',
    accountId,
    meterId: accountId,
    keyId: 'key',
    tier,
    scopes: scopesOfTier(tier),
    contract: null,
    isNarrowed: false,
    endsAt: null,
  }
  return caller
}

async function came<Data>(
  reply: Reply,
  prepared: PreparedOperation | null,
  made: RunResult | null,
): Promise<Came<Data>> {
  const headers = new Map<string, string>()
  for (let at = 0; at < reply.headers.length; at += 2)
    headers.set(reply.headers[at] ?? '', reply.headers[at + 1] ?? '')
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  const text = isStream ? '' : await textOfBody(reply.body)
  return {
    status: reply.status,
    headers,
    text,
    body: (text === '' ? {} : JSON.parse(text)) as GraphQLAnswer<Data>,
    prepared,
    made: isStream && made ? { ...made, body: reply.body } : made,
  }
}

async function textOfBody(body: ReplyBody): Promise<string> {
  if (body === null) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString()
}
