import type { IncomingMessage } from 'node:http'
import { type DoorContext, openDoor } from '../platform/door-context.js'
import type { Logger } from '../platform/logger.js'
import type { PlainAnswer } from '../platform/plain-answer.js'
import type { RequestFacts } from '../platform/request-facts.js'
import type { AccessLog } from './access-log.js'
import { type KeepingOptions, keepMade } from './keep-answers.js'
import type { Meter } from './meter.js'
import type { Question } from './question.js'
import { headerText, noteVisit, type Visit, visitHeaders } from './visit.js'

/** The doors for questions that need no fetch Request: rest/direct.ts and graphql/direct.ts. */
export interface DirectDoors {
  readonly rest: {
    mayAnswer(url: string, accept: string | null): boolean
    answer(request: RequestFacts, door: DoorContext): Promise<PlainAnswer>
  }
  /** Null for what it leaves to the door, before anything ran or was charged. */
  readonly graphql: (body: string, request: RequestFacts, door: DoorContext) => Promise<PlainAnswer | null>
}

export interface DirectAnswersOptions extends KeepingOptions {
  readonly direct: DirectDoors
  readonly meter: Meter
  readonly accessLog: AccessLog
  readonly log: Logger
}

/** Whether the question of a request can be answered without the doors. */
export function isDirect(
  { rest }: DirectDoors,
  { door, isGet }: Question,
  request: IncomingMessage,
): boolean {
  if (door === 'graphql') return !isGet
  return rest.mayAnswer(request.url ?? '', headerText(request.headers.accept) ?? null)
}

/** Makes the answer to a visit, keeps it where it may be kept, and sends it. False where it is left to the door. */
export async function answerDirectly(options: DirectAnswersOptions, visit: Visit): Promise<boolean> {
  const { request, response, question, key } = visit
  const { requestId, now, startedAt, caller, origin } = visit
  const door = openDoor(options.log, { requestId, now, startedAt, principal: caller, origin })
  const answer = await answerOf(options.direct, visit, door)
  if (answer === null) return false
  const { status, headers, text } = answer
  const own = Object.entries(headers).flat()
  const told = keepMade(options, door, status, { question, key, headers: own })
  // The meter has said where the caller stands, unless nothing came to be charged.
  const limits =
    door.replyHeaders['X-RateLimit-Limit'] === undefined
      ? await options.meter.limitHeaders(visit.caller, visit.now, door.log)
      : door.replyHeaders
  if (headers['content-length'] === undefined) own.push('content-length', String(Buffer.byteLength(text)))
  response.writeHead(status, [...own, ...told, ...visitHeaders(visit, limits)])
  response.end(request.method === 'HEAD' ? undefined : text)
  const { operation, charged } = door
  noteVisit(options.accessLog, visit, { status, operation, charged, isKept: false })
  return true
}

function answerOf(
  { rest, graphql }: DirectDoors,
  visit: Visit,
  door: DoorContext,
): Promise<PlainAnswer | null> {
  const facts = factsOf(visit)
  const { body } = visit.question
  return body === null ? rest.answer(facts, door) : graphql(body, facts, door)
}

function factsOf({ request, response }: Visit): RequestFacts {
  const { method = 'GET', url = '/', headers } = request
  return {
    method,
    url,
    headers: { get: (name) => headerText(headers[name]) ?? null },
    signal: {
      get aborted() {
        return response.closed
      },
    },
  }
}
