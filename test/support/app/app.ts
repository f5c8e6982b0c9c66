import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import type { Registry } from 'prom-client'
import { ACCESS_PARTS } from '../../../src/access.js'
import { createApp } from '../../../src/app.js'
import { type Config, loadConfig } from '../../../src/config.js'
import type { Clock } from '../../../src/core/time.js'
import type { Access } from '../../../src/domains/access/model.js'
import { type AccountWithKey, createAccountWithKey } from '../../../src/domains/access/operator.js'
import { createAccess } from '../../../src/domains/access/service.js'
import type { ForeignPlugin } from '../../../src/gateway/graphql/operation-context.js'
import { createMetrics } from '../../../src/gateway/http/telemetry/metrics.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { configuredTelemetry, traced } from '../../../src/platform/telemetry/wiring.js'
import type { Tier } from '../../../src/policy/tiers.js'
import {
  type DatabaseKind,
  MIGRATIONS,
  openTestDatabase,
  SEEDED_AT,
  type World,
} from '../database/database.js'
import { receivedText } from '../peers/received-text.js'
import { listen } from '../peers/sockets.js'
import { assertNoSecret } from './log-secrets.js'

/** A clock that does not move until it is set. */
export class TestClock implements Clock {
  #now: number
  constructor(now: Date) {
    this.#now = now.getTime()
  }
  now(): Date {
    return new Date(this.#now)
  }
  advance(ms: number): void {
    this.#now += ms
  }
}

export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Body
}

export interface GraphQLAnswer<Data> {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions: {
      readonly code: string
      readonly http: { readonly status: number }
      readonly required_scope?: string
      readonly upgrade_url?: string
      readonly retry_after?: number
      readonly details?: readonly { readonly field: string; readonly message: string }[]
      readonly request_id: string
    }
  }[]
  readonly extensions?: {
    readonly cost?: {
      readonly charged: number
      readonly remaining: number
      readonly price?: number
      readonly values?: number
    }
  }
}

export interface CallOptions {
  readonly key?: string | null
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a string goes as it is. */
  readonly body?: unknown
}

/** The real application behind a real socket. */
export interface TestApp {
  readonly url: string
  readonly config: Config
  readonly database: Database
  readonly clock: TestClock
  readonly access: Access
  /** The key its pages carry. */
  readonly pageKey: string | null
  readonly metrics: Registry
  /** Lines of the log so far. */
  readonly logLines: readonly string[]
  newKey(account: Partial<AccountWithKey> & Pick<AccountWithKey, 'tier'>): Promise<string>
  rest<Body>(path: string, options?: CallOptions): Promise<Answer<Body>>
  graphql<Data>(
    query: string,
    options?: CallOptions & { readonly variables?: Readonly<Record<string, unknown>> },
  ): Promise<Answer<GraphQLAnswer<Data>>>
  /** As when the process is asked to stop. */
  drain(): void
  close(): Promise<void>
}

export interface TestAppOptions {
  readonly world?: World
  readonly env?: Readonly<Record<string, string>>
  /** A database of the caller's own; it is then the caller's to close. */
  readonly database?: Database
  readonly clock?: TestClock
  /** Plugins of graphql-yoga that see every operation. */
  readonly plugins?: readonly ForeignPlugin[]
  /** Gives the pages a key of this tier. */
  readonly developmentTier?: Tier
  /** Gives the pages a demo key. */
  readonly hasDemoKey?: true
}

export async function startTestApp(kind: DatabaseKind, options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await openTestDatabase(kind, options.world ?? 'seeded'))
  const clock = options.clock ?? new TestClock(SEEDED_AT)
  const logLines: string[] = []
  const log = createLogger('info', { write: (line: string) => void logLines.push(line) })
  // An identifier service that refuses at once, unless a test plays one.
  const config = loadConfig({
    NODE_ENV: 'test',
    PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9',
    UPGRADE_URL: 'https://market-data-gateway.example/pricing',
    ...options.env,
  })
  const access = createAccess({
    database,
    clock,
    log,
    pepper: config.keyPepper,
    tokenKeys: config.jwtKeys,
    mode: 'test',
    ...ACCESS_PARTS,
  })
  const newKey: TestApp['newKey'] = async (account) =>
    (await createAccountWithKey(access, { label: 'test', ...account })).raw_key
  const demoKey = options.hasDemoKey ? await newKey({ tier: 'free', scopes: [] }) : null
  const pageKey = options.developmentTier ? await newKey({ tier: options.developmentTier }) : demoKey
  const metrics = createMetrics()
  const telemetry = await configuredTelemetry(config, { log, metrics })
  const tracing = telemetry?.tracing ?? null
  const app = createApp({
    ...traced({ config: { ...config, demoKey }, database, clock, log, metrics }, tracing),
    tracing,
    migrations: MIGRATIONS,
    pageKey,
    ...(options.plugins ? { plugins: options.plugins } : {}),
  })
  logLines.length = 0 // a start warns of the address above
  const server = await listen(app.listener, app.upgrades, config.trustProxy)
  const { url } = server
  const agent = new Agent({ keepAlive: true })
  const call = (path: string, call: CallOptions) => send(agent, url + path, call)
  return {
    url,
    config,
    database,
    clock,
    access,
    metrics,
    logLines,
    pageKey,
    newKey,
    rest: <Body>(path: string, asked: CallOptions = {}) => call(path, asked) as Promise<Answer<Body>>,
    graphql: <Data>(
      query: string,
      asked: CallOptions & { variables?: Readonly<Record<string, unknown>> } = {},
    ) =>
      call('/graphql', {
        method: 'POST',
        body: { query, ...(asked.variables ? { variables: asked.variables } : {}) },
        ...asked,
      }) as Promise<Answer<GraphQLAnswer<Data>>>,
    drain: () => app.drain(),
    close: async () => {
      agent.destroy()
      await server.close()
      await app.close()
      await telemetry?.stop()
      await access.close()
      if (!options.database) await database.close()
      assertNoSecret(logLines.join(''))
    },
  }
}

/** As fetch asks and reads, in a fraction of its CPU time; it follows no redirect. */
async function send(
  agent: Agent,
  url: string,
  { key, method = 'GET', headers = {}, body }: CallOptions,
): Promise<Answer> {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await responseTo(sent, new URL(url), {
    agent,
    method,
    headers: {
      accept: '*/*',
      'accept-encoding': 'gzip, deflate',
      ...(key ? { 'x-api-key': key } : {}),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const text = await receivedText(response)
  const isJson = /application\/json|\+json/.test(response.headers['content-type'] ?? '') && text !== ''
  let read: Headers | null = null
  return {
    status: response.statusCode ?? 0,
    // Most tests read no header.
    get headers() {
      read ??= headersOf(response)
      return read
    },
    text,
    body: isJson ? JSON.parse(text) : null,
  }
}

function responseTo(body: string | undefined, url: URL, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = url
    const asked = request({ ...options, hostname, port, path: pathname + search }, resolve)
    asked.on('error', reject)
    // Node sends the length by itself, but not with the body of a DELETE.
    if (body !== undefined) asked.setHeader('content-length', Buffer.byteLength(body))
    asked.end(body)
  })
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}
