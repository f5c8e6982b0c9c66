import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Clock } from '../core/time.js'
import type { BurstGuard } from '../platform/burst-guard.js'
import { type DatasetStates, type DataVersions, versionIn } from '../platform/data-version.js'
import type { KeptAnswer } from '../platform/kept-answer.js'
import { type Caller, callerKey, type Principal } from '../policy/principal.js'
import { leftOf, rateLimitHeaders } from '../policy/quota.js'
import { type Credentials, type OriginOptions, originOf, parseCredentials } from './authenticate.js'
import { answerDirectly, type DirectAnswersOptions, isDirect } from './direct-answers.js'
import { findStanding, type StandingTag } from './entity-tag.js'
import { headersOf } from './keep-answers.js'
import { keyOf, type Question, questionOf } from './question.js'
import { requestIdOf } from './request-id.js'
import { headerText, noteVisit, type Visit, visitHeaders } from './visit.js'

export interface KeptAnswersOptions extends DirectAnswersOptions {
  readonly versions: DataVersions
  readonly clock: Clock
  readonly burst: BurstGuard
  readonly origin: OriginOptions
  readonly recognise: (credentials: Credentials, now: Date) => Principal | Promise<Principal>
}

/**
 * In front of both doors: who asks what was asked before is answered from memory, before the request is turned into
 * anything; and a REST question that is new is answered here too. Credentials, burst guard and quotas count as at the
 * doors. Whatever can not be answered here, be it for want of an answer, a key or a quota, goes on to the doors, which
 * say why.
 */
export function serveKeptAnswers(options: KeptAnswersOptions, next: RequestListener): RequestListener {
  return (request, response) => {
    const question = questionOf(request)
    if (question === null) {
      next(request, response)
      return
    }
    serve(options, question, request, response).then(
      (isServed) => {
        if (!isServed) next(request, response)
      },
      (error: unknown) => {
        options.log.warn({ err: error }, 'a kept answer could not be served')
        next(request, response)
      },
    )
  }
}

/** True when it answered. */
async function serve(
  options: KeptAnswersOptions,
  question: Question,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const startedAt = performance.now()
  const now = options.clock.now()
  const { headers, socket } = request
  const origin = originOf(headerText(headers['x-forwarded-for']), socket.remoteAddress, options.origin)
  // Before the key is looked up, so that guessing keys is bounded.
  if (options.burst.isSpent(origin, now)) return false
  const caller = await callerOf(options, request, now)
  if (caller === null) return false
  const visit: Visit = {
    request,
    response,
    question,
    caller,
    origin,
    key: keyOf(question, caller),
    requestId: requestIdOf(headerText(headers['x-request-id'])),
    now,
    startedAt,
  }
  const burstKeys = [origin, callerKey(caller)]
  const verdicts = burstKeys.map((key) => options.burst.allow(key, now))
  let isServed = false
  try {
    isServed = verdicts.every(({ allowed }) => allowed) && (await answer(options, visit))
  } finally {
    // The doors count the request themselves.
    if (!isServed) for (const burstKey of burstKeys) options.burst.forgive(burstKey, now)
  }
  return isServed
}

async function answer(options: KeptAnswersOptions, visit: Visit): Promise<boolean> {
  const { key, now, question, request } = visit
  const states = await options.versions.current()
  const tags = request.headers['if-none-match']
  const standing = question.isGet && tags !== undefined ? findStanding(tags, key, states, now) : null
  if (standing !== null) return notModified(options, visit, standing, states)
  const known = options.cache.get(key, states, now)
  if (known !== null) return give(options, visit, known)
  const mayAnswer = isDirect(options.direct, question, request)
  // A path of REST that is not answered here is not kept either: nobody waits for it.
  if (question.door === 'rest' && !mayAnswer) return false
  const kept = await missing(options, visit)
  if (kept !== null) return give(options, visit, kept)
  return mayAnswer && answerDirectly(options, visit)
}

/** Null for anonymous and for credentials that do not hold: the doors tell them. */
async function callerOf(
  options: KeptAnswersOptions,
  { headers }: IncomingMessage,
  now: Date,
): Promise<Caller | null> {
  try {
    const apiKey = headerText(headers['x-api-key']) ?? null
    const found = options.recognise(parseCredentials(apiKey, headers.authorization ?? null), now)
    const principal = found instanceof Promise ? await found : found
    return principal.kind === 'anonymous' ? null : principal
  } catch {
    return null // the doors authenticate again, and answer with what is wrong
  }
}

/** The first who asks makes the answer; who asks the same meanwhile waits, and gets it as a kept one. */
async function missing(
  { cache, versions, flights }: KeptAnswersOptions,
  { response, key, now }: Visit,
): Promise<KeptAnswer | null> {
  if (!cache.isKeeping) return null
  const shared = await cache.fetch(key, await versions.current(), now)
  if (shared !== null) return shared
  const landing = flights.join(key, response)
  if (landing !== true) await landing
  // The first to ask looks once more too: meanwhile another's may have landed.
  return cache.get(key, await versions.current(), now)
}

/** 304: free of charge, so it stays counted by the burst guard. */
async function notModified(
  options: KeptAnswersOptions,
  visit: Visit,
  { tag, reads, endsAtMs, refreshAtMs }: StandingTag,
  states: DatasetStates,
): Promise<boolean> {
  const { caller, now, response } = visit
  const standings = await options.meter.standings(caller, now)
  const dataVersion = reads.map((name) => `${name}=${versionIn(states, name)}`).join(', ')
  const told = headersOf({ etag: tag, endsAtMs, refreshAtMs: refreshAtMs ?? null, dataVersion }, now)
  response.writeHead(304, [...told, ...visitHeaders(visit, rateLimitHeaders(standings, now))])
  response.end()
  noteVisit(options.accessLog, visit, { status: 304, operation: null, charged: 0, isKept: true })
  return true
}

/** False where the quota refuses: the door takes nothing either, and says so. */
async function give(options: KeptAnswersOptions, visit: Visit, kept: KeptAnswer): Promise<boolean> {
  const { caller, now, origin, response, question } = visit
  const { fields, units } = kept
  const charged = options.meter.charge(caller, { fields, units, discovers: 0 }, origin, now)
  const { accepted, standings } = charged instanceof Promise ? await charged : charged
  if (!accepted) return false
  const data = kept.body.renderAt(now.getTime())
  const body = question.door === 'rest' ? data : operationBody(data, units, leftOf(standings))
  response.writeHead(200, [
    ...kept.headers,
    ...headersOf(kept, now),
    ...visitHeaders(visit, rateLimitHeaders(standings, now)),
    'content-length',
    String(body.length),
  ])
  response.end(body)
  const { operation } = kept
  noteVisit(options.accessLog, visit, { status: 200, operation, charged: units, isKept: true })
  return true
}

const BEFORE_DATA = Buffer.from('{"data":')

/** As the GraphQL door writes it: the data, and what they cost. */
function operationBody(data: Buffer, charged: number, remaining: number): Buffer {
  const extensions = JSON.stringify({ cost: { charged, remaining } })
  return Buffer.concat([BEFORE_DATA, data, Buffer.from(`,"extensions":${extensions}}`)])
}
