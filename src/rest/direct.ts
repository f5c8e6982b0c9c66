import { ApiError } from '../core/errors.js'
import type { GetEnveloped } from '../graphql/door-plugin.js'
import type { DoorContext } from '../platform/door-context.js'
import type { PlainAnswer } from '../platform/plain-answer.js'
import type { RequestFacts } from '../platform/request-facts.js'
import { answerRoute } from './answer-route.js'
import { type ErrorBodyOptions, errorAnswer, type Failure, settleErrors } from './error-body.js'
import type { RestRoutes } from './rest-routes.js'
import { createRouteRunner } from './run-route.js'
import { exportTypeOf } from './series-export.js'

export interface DirectRest {
  /** Whether a path with its query leads to an answer that is made from datasets alone, and is JSON for this Accept. */
  mayAnswer(url: string, accept: string | null): boolean
  /** The answer to a GET or HEAD that it may answer; `door.json` is set with a success. */
  answer(request: RequestFacts, door: DoorContext): Promise<PlainAnswer>
}

export interface DirectRestOptions {
  readonly routes: RestRoutes
  readonly errorBody: ErrorBodyOptions
  readonly getEnveloped: GetEnveloped
}

/** Characters that mean themselves in a URL: what has others, or dots for segments, is for a parser of URLs. */
const PLAIN_URL = /^[\w\-.~/?&=%:+,@]+$/

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * The REST door for the questions that come most, without a fetch Request and Response in between: the same routes,
 * parameters, execution and errors, and text instead of a Response.
 */
export function createDirectRest({ routes, errorBody, getEnveloped }: DirectRestOptions): DirectRest {
  const { table } = routes
  const run = createRouteRunner(routes, getEnveloped)
  return {
    mayAnswer: (url, accept) => {
      if (!PLAIN_URL.test(url) || url.includes('/.')) return false
      try {
        const { endpoint, series } = table.match('GET', splitUrl(url).pathname).route
        return endpoint.reads !== null && (series === null || exportTypeOf(accept) === null)
      } catch (error) {
        if (error instanceof ApiError) return false // no route of ours: the door says so
        throw error
      }
    },
    answer: async (request, door) => {
      const fail = (failure: Failure) => {
        const { requestId, now, log } = door
        return errorAnswer(settleErrors(failure, log), { ...errorBody, request, requestId, now })
      }
      const answered = await answerRoute(
        { request, ...splitUrl(request.url), serverContext: door },
        table,
        run,
        null,
      )
      if ('errors' in answered) return fail(answered)
      const { data, link, route } = answered
      // A service should have said what is missing; a bare null never leaves as a success.
      if (data === null || data === undefined) {
        return fail({ errors: [new ApiError('not_found')], isExecuted: false })
      }
      door.json = JSON.stringify(data)
      const headers: Record<string, string> = { 'content-type': JSON_TYPE }
      if (link !== null) headers.link = link
      return { status: route.rest.status ?? 200, headers, text: door.json }
    },
  }
}

function splitUrl(url: string): { readonly pathname: string; readonly search: string } {
  const end = url.indexOf('?')
  return end < 0 ? { pathname: url, search: '' } : { pathname: url.slice(0, end), search: url.slice(end) }
}
