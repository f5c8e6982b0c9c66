import { expect } from 'vitest'
import { createListener } from '../../../src/gateway/http/node.js'
import { createRestTransport } from '../../../src/gateway/rest/handler.js'
import { createRestRoutes } from '../../../src/gateway/rest/routes/rest-routes.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { Caller } from '../../../src/policy/principal.js'
import { SCOPE_NAMES } from '../../../src/policy/scopes.js'
import { yogaOf } from '../../support/app/gateway-yoga.js'
import { exchangeOf, handleOf, replyOf, responseOf, type Sent } from '../../support/app/transport.js'
import { NOW, schema } from './rest-schema.js'

/** Holds every scope, so that access is not what these tests are about. */
export const CALLER: Caller = {
  kind: 'key',
  accountId: '00000000-0000-4000-8000-000000000001',
  meterId: '00000000-0000-4000-8000-000000000001',
  keyId: '00000000-0000-4000-8000-000000000002',
  tier: 'enterprise',
  scopes: new Set(SCOPE_NAMES),
  isNarrowed: false,
  endsAt: null,
  contract: null,
}

export const UPGRADE_URL = 'https://example.com/upgrade'

/** REST alone, without the pipeline in front; `logged` collects what went to the log. */
export function restApp() {
  const logged: string[] = []
  const log = createLogger('debug', { write: (line: string) => logged.push(line) })
  const transport = createRestTransport({
    routes: createRestRoutes(schema),
    yoga: yogaOf(schema),
    upgradeUrl: UPGRADE_URL,
  })
  const context = { principal: CALLER }
  const ask = async (path: string, sent: Sent = {}) => {
    const headers = { 'x-request-id': 'req-1', ...sent.headers }
    const exchange = exchangeOf(path, { ...sent, headers }, log, NOW)
    return responseOf(await replyOf(transport, exchange, context), exchange.method)
  }
  const handle = handleOf(transport, context)
  const clock = { now: () => NOW }
  const listener = createListener(handle, { clock, log, hashAddress: () => 'test', isDraining: () => false })
  return { ask, listener, logged }
}

/** A JSON body sent by POST. */
export function post(body: unknown, headers: Record<string, string> = {}): Sent {
  return {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
}

type Ask = (path: string, init?: Sent) => Promise<Response>

/** The body as an object. */
export async function json(response: Response | Promise<Response>): Promise<Record<string, unknown>> {
  return (await (await response).json()) as Record<string, unknown>
}

/** Arguments that the resolver of an echo route was given. */
export async function echoed(ask: Ask, path: string, init?: Sent): Promise<unknown> {
  const response = await ask(path, init)
  const body = await json(response)
  expect(body, JSON.stringify(body)).toHaveProperty('args')
  return body.args
}

/** The `details` of a 422. */
export async function refused(ask: Ask, path: string, init?: Sent): Promise<unknown> {
  const response = await ask(path, init)
  const body = await json(response)
  expect([response.status, body.error], JSON.stringify(body)).toEqual([422, 'validation_error'])
  return body.details
}
