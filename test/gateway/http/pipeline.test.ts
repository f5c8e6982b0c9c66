import { expect, it } from 'vitest'
import type { Answers } from '../../../src/gateway/http/answers.js'
import { Admission } from '../../../src/gateway/http/limits/admission.js'
import { RequestQueue } from '../../../src/gateway/http/limits/request-queue.js'
import { createPipeline, type PipelineOptions } from '../../../src/gateway/http/pipeline.js'
import { OpenStreams } from '../../../src/gateway/http/response/open-streams.js'
import { createRestTransport } from '../../../src/gateway/rest/handler.js'
import { createRestRoutes } from '../../../src/gateway/rest/routes/rest-routes.js'
import { createLogger } from '../../../src/platform/logger.js'
import { BurstGuard } from '../../../src/platform/quota/burst-guard.js'
import { ANONYMOUS } from '../../../src/policy/principal.js'
import { yogaOf } from '../../support/app/gateway-yoga.js'
import { exchangeOf, responseOf } from '../../support/app/transport.js'
import { eventually } from '../../support/eventually.js'
import { schema } from '../rest/rest-schema.js'

const rest = createRestTransport({
  routes: createRestRoutes(schema),
  yoga: yogaOf(schema),
  upgradeUrl: 'https://example.com',
})

const OPTIONS: PipelineOptions = {
  health: () => null,
  sites: [],
  guardedSites: [],
  nearestPath: () => null,
  rest,
  graphql: rest,
  receipts: () => null,
  compat: [],
  requestQueue: new RequestQueue(),
  admission: new Admission(),
  burst: new BurstGuard(),
  authenticate: () => ANONYMOUS,
  // Neither is reached by a request whose caller is not known.
  answers: null as unknown as Answers,
  meter: null as never,
  accessLog: { note: () => {} },
  streams: new OpenStreams(),
  corsOrigins: 'any',
  ownHosts: null,
  transportSecurity: () => [],
}

it('an unknown error before the transport is a masked 500, logged once with the request id, and counted like any reply', async () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line: string) => void lines.push(line) })
  const noted: number[] = []
  const handle = createPipeline({
    ...OPTIONS,
    authenticate: () => {
      throw new Error('hunter2')
    },
    accessLog: { note: ({ status }) => void noted.push(status) },
  })
  const exchange = exchangeOf('/v1/thing', { headers: { 'x-api-key': 'x' } }, log)
  const response = await responseOf(await handle(exchange, null), 'GET')
  expect([response.status, await response.json()]).toEqual([
    500,
    {
      error: 'internal_error',
      message: 'Something went wrong on our side.',
      request_id: exchange.requestId,
    },
  ])
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('hunter2')
  expect(noted).toEqual([500])
})

it('limits parallel pages and requests of other sites, and still answers health checks', async () => {
  const log = createLogger('silent')
  const page = { status: 200, headers: [], body: 'page' }
  const admission = new Admission({ slots: 1, maxWaiting: 0 })
  const held: (() => void)[] = []
  const handle = createPipeline({
    ...OPTIONS,
    admission,
    health: ({ path }) => (path === '/healthz' ? page : null),
    sites: [({ path }) => (path === '/' ? page : null)],
    guardedSites: [
      ({ path }, _caller, leave) => {
        if (path !== '/held' && path !== '/left') return null
        if (path === '/left') leave()
        return new Promise((resolve) => held.push(() => resolve(page)))
      },
    ],
  })
  const statusOf = async (path: string) => (await handle(exchangeOf(path, {}, log), null)).status
  const first = statusOf('/held')
  await eventually(() => expect(held).toHaveLength(1))
  expect(await Promise.all(['/', '/held', '/healthz'].map(statusOf))).toEqual([503, 503, 200])
  held.pop()?.()
  expect(await first).toBe(200)
  // A site that has given its place back holds up nobody.
  const left = statusOf('/left')
  await eventually(() => expect(held).toHaveLength(1))
  expect(await statusOf('/')).toBe(200)
  held.pop()?.()
  expect([await left, admission.counts.running]).toEqual([200, 0])
})
