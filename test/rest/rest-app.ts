import { createYoga, type Plugin } from 'graphql-yoga'
import { expect } from 'vitest'
import { useMasking } from '../../src/graphql/errors.js'
import { createLogger } from '../../src/platform/logger.js'
import type { Caller } from '../../src/policy/principal.js'
import { SCOPE_NAMES } from '../../src/policy/scopes.js'
import type { RestContext } from '../../src/rest/answer-route.js'
import { useRest } from '../../src/rest/handler.js'
import { createRestRoutes } from '../../src/rest/rest-routes.js'
import { NOW, schema } from './rest-schema.js'

/** Holds every scope, so that access is not what these tests are about. */
const CALLER: Caller = {
  kind: 'key',
  accountId: '00000000-0000-4000-8000-000000000001',
  meterId: '00000000-0000-4000-8000-000000000001',
  keyId: '00000000-0000-4000-8000-000000000002',
  tier: 'enterprise',
  scopes: new Set(SCOPE_NAMES),
  contract: null,
}

export const UPGRADE_URL = 'https://example.com/upgrade'

/** The REST door alone in a real yoga; `logged` collects what went to the log. */
export function restApp(plugins: readonly Plugin[] = []) {
  const logged: string[] = []
  const log = createLogger('debug', { write: (line: string) => logged.push(line) })
  const rest = useRest({
    routes: createRestRoutes(schema),
    prefixes: ['/v1', '/auth'],
    errorBody: { upgradeUrl: UPGRADE_URL },
  })
  // Masking is the doors' own: yoga's would hide the ApiError behind a GraphQL error.
  const yoga = createYoga<RestContext>({
    schema,
    plugins: [...plugins, useMasking(), rest],
    maskedErrors: false,
    logging: false,
  })
  const context = (): RestContext => ({ requestId: 'req-1', now: NOW, log, principal: CALLER })
  const ask = async (path: string, init: RequestInit = {}) =>
    await yoga.fetch(`http://gateway.test${path}`, init, context())
  return { ask, yoga, context, logged }
}

/** A JSON body sent by POST. */
export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>

/** The body as an object. */
export async function json(response: Response | Promise<Response>): Promise<Record<string, unknown>> {
  return (await (await response).json()) as Record<string, unknown>
}

/** Arguments that the resolver of an echo route was given. */
export async function echoed(ask: Ask, path: string, init?: RequestInit): Promise<unknown> {
  const response = await ask(path, init)
  const body = await json(response)
  expect(body, JSON.stringify(body)).toHaveProperty('args')
  return body.args
}

/** The `details` of a 422. */
export async function refused(ask: Ask, path: string, init?: RequestInit): Promise<unknown> {
  const response = await ask(path, init)
  const body = await json(response)
  expect([response.status, body.error], JSON.stringify(body)).toEqual([422, 'validation_error'])
  return body.details
}
