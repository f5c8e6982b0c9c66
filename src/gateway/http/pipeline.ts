import { ApiError, notFound } from '../../core/errors.js'
import type { Credentials } from '../../domains/access/model.js'
import type { BurstGuard } from '../../platform/quota/burst-guard.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import type { Target, Transport } from '../../platform/request/transport.js'
import { ANONYMOUS, callerKey, clockOf, type Principal } from '../../policy/principal.js'
import { findCompatName, GRAPHQL_PATH, isRest } from '../paths.js'
import type { Answers } from './answers.js'
import { MAX_ANONYMOUS_BYTES } from './connection/read-body.js'
import { parseCredentials } from './identity/credentials.js'
import { type Authenticate, assertOwnPage } from './identity/demo-callers.js'
import { assertOwnHost, type OwnHosts } from './identity/own-hosts.js'
import { assertUrlUse } from './identity/url-use.js'
import { innerExchange } from './inner-exchange.js'
import type { Admission, Release } from './limits/admission.js'
import { tooManyRequests } from './limits/burst.js'
import { isDryRun } from './limits/dry-run.js'
import type { RequestQueue } from './limits/request-queue.js'
import type { Handle } from './node.js'
import { newProgress, type Progress } from './progress.js'
import { isReadMethod } from './read-method.js'
import { preflightHeaders } from './response/cors.js'
import { type FinishOptions, finish } from './response/finish.js'

/**
 * Serves open paths without data: pages and health. Returns null for a path that it does not serve. `caller` authenticates
 * the request, for a site that shows more to operators. `release` releases the permit, for a site that calls the pipeline.
 */
export type OpenSite = (
  exchange: Exchange,
  caller: () => Promise<Principal>,
  release: Release,
) => Reply | Promise<Reply> | null

export interface PipelineOptions extends FinishOptions {
  /** Responds without waiting in a queue, because a busy process is still alive. */
  readonly health: OpenSite
  /** Sites whose replies are ready. */
  readonly sites: readonly OpenSite[]
  /** Sites that compute their replies, so the limit per address applies to them. */
  readonly guardedSites: readonly OpenSite[]
  /** The path that a wrong one probably means; null if none is similar. */
  readonly nearestPath: (path: string) => string | null
  readonly rest: Transport
  readonly graphql: Transport
  /** The compatible interfaces that the operator serves. */
  readonly compat: readonly Transport[]
  readonly ownHosts: OwnHosts
  readonly requestQueue: RequestQueue
  readonly admission: Admission
  readonly burst: BurstGuard
  readonly authenticate: Authenticate
  readonly answers: Answers
}

/** Creates the handler of all requests. `finish` completes every reply, including errors. */
export function createPipeline(options: PipelineOptions): Handle {
  const compat = new Map(options.compat.map((transport) => [transport.name, transport]))
  return async (exchange, problem) => {
    const progress = newProgress()
    const transport = transportOf(exchange, options, compat)
    if (transport !== null) progress.transport = transport.name
    let reply: Reply
    try {
      const replying = replyTo({ exchange, problem, transport, progress }, options)
      // A ready reply is not awaited, because `await` costs time even for a plain value.
      reply = replying instanceof Promise ? await replying : replying
    } catch (error) {
      reply = (transport ?? options.rest).refuse(error, exchange)
    }
    return finish(exchange, progress, reply, options)
  }
}

function transportOf(
  { path }: Exchange,
  { rest, graphql }: PipelineOptions,
  compat: ReadonlyMap<string, Transport>,
): Transport | null {
  if (path === GRAPHQL_PATH) return graphql
  if (isRest(path)) return rest
  const name = findCompatName(path)
  return name === null ? null : (compat.get(name) ?? null)
}

interface Received {
  readonly exchange: Exchange
  /** Why the request could not be read. */
  readonly problem: ApiError | null
  /** Null for pages, health and what does not exist. */
  readonly transport: Transport | null
  readonly progress: Progress
}

function replyTo(received: Received, options: PipelineOptions): Reply | Promise<Reply> {
  const { exchange, problem } = received
  if (exchange.method === 'OPTIONS' && problem === null) return preflight(exchange)
  const health = problem === null ? fromSites(exchange, [options.health], options) : null
  if (health !== null) return health
  const start = options.requestQueue.enter()
  return start === null ? boundedReply(received, options) : start.then(() => boundedReply(received, options))
}

/** Serves a page, or else: identifies the target, checks the burst limit per address, authenticates, checks it per key, serves. */
function boundedReply(
  { exchange, problem, transport, progress }: Received,
  options: PipelineOptions,
): Reply | Promise<Reply> {
  if (problem === null) assertOwnHost(exchange, options.ownHosts)
  const page = problem === null ? fromSites(exchange, options.sites, options) : null
  if (page !== null) {
    progress.transport = 'pages'
    return options.admission.run(exchange.clientAddress, exchange.now, () => page)
  }
  const target = transport?.identify(exchange) ?? null
  progress.target = target
  guard(options.burst, 'address', exchange.clientAddress, exchange.now)
  if (problem !== null) throw problem
  if (transport === null || target === null) {
    progress.transport = 'pages'
    return options.admission.run(
      exchange.clientAddress,
      exchange.now,
      (release) =>
        fromSites(exchange, options.guardedSites, options, release) ?? rejectUnserved(exchange, options),
    )
  }
  const serve = (principal: Principal) => {
    progress.principal = principal
    if (principal.kind !== 'anonymous') {
      guard(options.burst, 'key', callerKey(principal), exchange.now)
      assertUrlUse(principal, exchange, target)
      // Pages of other sites may use an interface that is open to visitors.
      if (target.visitorKey === undefined) assertOwnPage(principal, exchange)
    }
    const isPriced = isDryRun(exchange)
    return options.answers.serve({ exchange, progress, transport, target, isPriced })
  }
  const principal = principalOf(exchange, target, options)
  return principal instanceof Promise ? principal.then(serve) : serve(principal)
}

function preflight(exchange: Exchange): Reply {
  const requested = exchange.header('access-control-request-headers')
  return { status: 204, headers: preflightHeaders(requested), body: null }
}

function fromSites(
  exchange: Exchange,
  sites: readonly OpenSite[],
  options: PipelineOptions,
  release: Release = () => {},
): Reply | Promise<Reply> | null {
  const caller = () => callerOfOpen(exchange, options)
  for (const site of sites) {
    const reply = site(exchange, caller, release)
    if (reply !== null) return reply
  }
  return null
}

/**
 * Limits the rate of requests per address or key, including free ones. The limit per address applies before
 * authentication, so that it also limits guessing keys.
 */
function guard(burst: BurstGuard, by: 'address' | 'key', key: string, now: Date): void {
  const verdict = burst.allow(key, now)
  if (verdict.allowed) return
  throw tooManyRequests(by, verdict)
}

/** Open routes ignore credentials, so that they work with a wrong key too, except those of a key with a clock. */
function principalOf(
  exchange: Exchange,
  target: Target,
  options: PipelineOptions,
): Principal | Promise<Principal> {
  const { authenticate } = options
  if (target.isOpen) return clockedCaller(exchange, options)
  try {
    const credentials = withVisitorKey(parseCredentials(exchange), target)
    const principal = authenticate(credentials, exchange.now, exchange.clientAddress)
    return principal instanceof Promise
      ? principal.catch((error: unknown) => refusedPrincipal(exchange, target, error))
      : principal
  } catch (error) {
    return refusedPrincipal(exchange, target, error)
  }
}

/** The caller of an open route if its key has a clock, which an open route must not get around; else anonymous. */
async function clockedCaller(exchange: Exchange, { authenticate }: PipelineOptions): Promise<Principal> {
  try {
    const principal = await authenticate(parseCredentials(exchange), exchange.now, exchange.clientAddress)
    return clockOf(principal) === undefined ? ANONYMOUS : principal
  } catch {
    return ANONYMOUS
  }
}

/** The key of visitors for a request without a credential to a target that is open to them. */
function withVisitorKey(credentials: Credentials, { visitorKey }: Target): Credentials {
  const { apiKey, bearer } = credentials
  if (visitorKey === undefined || apiKey !== null || bearer !== null) return credentials
  return { apiKey: visitorKey, bearer: null }
}

/** A caller with wrong credentials may still use open operations, with a body of the size that needs no credential. */
async function refusedPrincipal({ body }: Exchange, target: Target, error: unknown): Promise<Principal> {
  const isUnknown = error instanceof ApiError && error.code === 'unauthorized'
  const isSmall = (body?.length ?? 0) <= MAX_ANONYMOUS_BYTES
  if (isUnknown && isSmall && (await target.needsOpenFieldsOnly?.()) === true) return ANONYMOUS
  throw error
}

/** The caller of an open path; anonymous if the key is wrong or the address exceeds the limit that prevents guessing keys. */
async function callerOfOpen(
  exchange: Exchange,
  { burst, authenticate }: PipelineOptions,
): Promise<Principal> {
  try {
    const credentials = parseCredentials(exchange)
    if (credentials.apiKey === null && credentials.bearer === null) return ANONYMOUS
    guard(burst, 'address', exchange.clientAddress, exchange.now)
    const principal = await authenticate(credentials, exchange.now, exchange.clientAddress)
    const isForAddresses = principal.kind !== 'anonymous' && principal.urlUse !== undefined
    return isForAddresses || exchange.urlKey !== undefined ? ANONYMOUS : principal
  } catch {
    return ANONYMOUS
  }
}

function unknownPath(path: string, { nearestPath }: PipelineOptions): ApiError {
  const near = nearestPath(path)
  const hint = near === null ? 'GET / lists the available ones.' : `Did you mean ${near}?`
  return notFound(`No such path: ${path.slice(0, 100)}. ${hint}`)
}

/** Browsers get a page at more paths than programs. */
const BROWSER_HEADERS = new Map([['accept', 'text/html']])

/** Throws 405 if the path serves GET, else 404. */
async function rejectUnserved(exchange: Exchange, options: PipelineOptions): Promise<never> {
  const { method, path } = exchange
  const { health, sites, guardedSites } = options
  const probe = { method: 'HEAD', path, search: '', body: null, headers: BROWSER_HEADERS }
  const readable = isReadMethod(method)
    ? null
    : await fromSites(innerExchange(exchange, probe), [health, ...sites, ...guardedSites], options)
  if (readable === null || readable.status === 404) throw unknownPath(path, options)
  throw new ApiError('method_not_allowed', {
    message: `${method} is not allowed on ${path.slice(0, 100)}; allowed: GET, HEAD.`,
    allow: ['GET', 'HEAD'],
  })
}
