import { expect, it } from 'vitest'
import type { Answers } from '../../src/http/answers.js'
import { TurnLimit } from '../../src/http/limits/turn-limit.js'
import { createPipeline } from '../../src/http/pipeline.js'
import { OpenStreams } from '../../src/http/response/open-streams.js'
import { BurstGuard } from '../../src/platform/counters/burst-guard.js'
import { createLogger } from '../../src/platform/logger.js'
import { createRestTransport } from '../../src/rest/handler.js'
import { createRestRoutes } from '../../src/rest/routes/rest-routes.js'
import { schema } from '../rest/rest-schema.js'
import { exchangeOf, responseOf } from '../support/transport.js'

it('an unknown error before the transport is a masked 500, logged once with the request id, and noted as any reply', async () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line: string) => void lines.push(line) })
  const rest = createRestTransport({ routes: createRestRoutes(schema), upgradeUrl: 'https://example.com' })
  const noted: number[] = []
  const handle = createPipeline({
    sites: [],
    guardedSites: [],
    rest,
    graphql: rest,
    turns: new TurnLimit(),
    burst: new BurstGuard(),
    authenticate: () => {
      throw new Error('hunter2')
    },
    // Neither is reached by a request whose caller is not known.
    answers: null as unknown as Answers,
    meter: null as never,
    accessLog: { note: ({ status }) => void noted.push(status) },
    streams: new OpenStreams(),
    corsOrigins: 'any',
    transportSecurity: () => [],
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
