import { ApiError, notFound } from '../../core/errors.js'
import type { Credentials } from '../../domains/access/model.js'
import type { BurstGuard } from '../../platform/counters/burst-guard.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import type { Target, Transport } from '../../platform/request/transport.js'
import { ANONYMOUS, callerKey, type Principal } from '../../policy/principal.js'
import { GRAPHQL_PATH, isRest } from '../paths.js'
import type { Answers } from './answers.js'
import { parseCredentials } from './identity/credentials.js'
import type { Admission, Release } from './limits/admission.js'
import { tooManyRequests } from './limits/burst.js'
import { isDryRun } from './limits/dry-run.js'
import type { RequestQueue } from './limits/request-queue.js'
import type { Handle } from './node.js'
import { newProgress, type Progress } from './progress.js'
import { preflightHeaders } from './response/cors.js'
import { type FinishOptions, finish } from './response/finish.js'

/**
 * Serves what is open to everybody and no data: pages, health. Null: not a path of its own. `caller` says who asks, for a
 * site that tells an operator more. `leave` gives back the place that it runs in, for a site that asks the pipeline again.
 */
export type OpenSite = (
  exchange: Exchange,
  caller: () => Promise<Principal>,
  leave: Release,
) => Reply | Promise<Reply> | null

export interface PipelineOptions extends FinishOptions {
  /** Answers however many requests wait: a busy process is not a dead one. */
  readonly health: OpenSite
  /** Replies that are ready. */
  readonly sites: readonly OpenSite[]
  /** Those that work for their reply: bounded by address as requests are. */
  readonly guardedSites: readonly OpenSite[]
  readonly rest: Transport
  readonly graphql: Transport
  readonly turns: RequestQueue
  readonly admission: Admission
  readonly burst: BurstGuard
  readonly authenticate: (credentials: Credentials, now: Date) => Principal | Promise<Principal>
  readonly answers: Answers
}

/** Every request goes this way, and every reply, a refusal too, leaves by `finish`. */
export function createPipeline(options: PipelineOptions): Handle {
  return async (exchange, problem) => {
    const progress = newProgress()
    const transport = transportOf(exchange, options)
    if (transport !== null) progress.transport = transport.name
    let reply: Reply
    try {
      const replying = replyTo({ exchange, problem, transport, progress }, options)
      // A reply that is ready is not awaited: `await` costs time even then.
      reply = replying instanceof Promise ? await replying : replying
    } catch (error) {
      reply = (transport ?? options.rest).refuse(error, exchange)
    }
    return finish(exchange, progress, reply, options)
  }
}

function transportOf({ path }: Exchange, { rest, graphql }: PipelineOptions): Transport | null {
  if (path === GRAPHQL_PATH) return graphql
  return isRest(path) ? rest : null
}

interface Received {
  readonly exchange: Exchange
  /** Why it could not be read. */
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
  const turn = options.turns.enter()
  return turn === null ? boundedReply(received, options) : turn.then(() => boundedReply(received, options))
}

/** Pages, else: identify, guard by address, authenticate, guard by key, answer. */
function boundedReply(
  { exchange, problem, transport, progress }: Received,
  options: PipelineOptions,
): Reply | Promise<Reply> {
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
    return options.admission.run(exchange.clientAddress, exchange.now, (leave) => {
      const guarded = fromSites(exchange, options.guardedSites, options, leave)
      if (guarded === null) throw unknownPath(exchange)
      return guarded
    })
  }
  const serve = (principal: Principal) => {
    progress.principal = principal
    if (principal.kind !== 'anonymous') guard(options.burst, 'key', callerKey(principal), exchange.now)
    const isPriced = isDryRun(exchange)
    return options.answers.serve({ exchange, progress, transport, target, isPriced })
  }
  const principal = principalOf(exchange, target, options)
  return principal instanceof Promise ? principal.then(serve) : serve(principal)
}

function preflight(exchange: Exchange): Reply {
  const asked = exchange.header('access-control-request-headers')
  return { status: 204, headers: preflightHeaders(asked), body: null }
}

function fromSites(
  exchange: Exchange,
  sites: readonly OpenSite[],
  options: PipelineOptions,
  leave: Release = () => {},
): Reply | Promise<Reply> | null {
  const caller = () => callerOfOpen(exchange, options)
  for (const site of sites) {
    const reply = site(exchange, caller, leave)
    if (reply !== null) return reply
  }
  return null
}

/**
 * Bounds how fast one address or one key may ask, whatever it asks: what is free of charge is bounded too. By address it
 * comes before authentication, so that guessing keys is bounded; by key after it.
 */
function guard(burst: BurstGuard, by: 'address' | 'key', key: string, now: Date): void {
  const verdict = burst.allow(key, now)
  if (verdict.allowed) return
  throw tooManyRequests(by, verdict.retryAt)
}

/** A wrong key must not close what is open: for open routes credentials are not looked at. */
function principalOf(
  exchange: Exchange,
  target: Target,
  { authenticate }: PipelineOptions,
): Principal | Promise<Principal> {
  if (target.isOpen) return ANONYMOUS
  try {
    const principal = authenticate(parseCredentials(exchange), exchange.now)
    return principal instanceof Promise
      ? principal.catch((error: unknown) => refusedPrincipal(target, error))
      : principal
  } catch (error) {
    return refusedPrincipal(target, error)
  }
}

/** Who shows wrong credentials may still ask what is open to everybody. */
async function refusedPrincipal(target: Target, error: unknown): Promise<Principal> {
  const isUnknown = error instanceof ApiError && error.code === 'unauthorized'
  if (isUnknown && (await target.asksOpenOnly?.()) === true) return ANONYMOUS
  throw error
}

/** Who asks for what is open: anonymous with a wrong key, and with any where the address asks too fast to guess keys. */
async function callerOfOpen(
  exchange: Exchange,
  { burst, authenticate }: PipelineOptions,
): Promise<Principal> {
  try {
    const credentials = parseCredentials(exchange)
    if (credentials.apiKey === null && credentials.bearer === null) return ANONYMOUS
    guard(burst, 'address', exchange.clientAddress, exchange.now)
    return await authenticate(credentials, exchange.now)
  } catch {
    return ANONYMOUS
  }
}

function unknownPath({ path }: Exchange): ApiError {
  return notFound(`Nothing is at ${path.slice(0, 100)}; GET / lists what there is.`)
}
