import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { IngestError, RetryLater } from '../../../../src/ingest/feed.js'
import { createJobs } from '../../../../src/ingest/jobs.js'
import type { JobContext } from '../../../../src/ingest/schedule/job.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../../src/platform/http-client/provider-addresses.js'
import { withProviderKeys } from '../../../../src/platform/http-client/provider-keys.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../../support/database/database.js'
import { listen } from '../../../support/peers/sockets.js'
import { filingBody, filingsBody, securityBody } from '../../providers/sec/nport-bodies.js'

const LIST = '/cgi-bin/browse-edgar'
const PAGE = '<!DOCTYPE html><html><title>SEC.gov | Request Rate Threshold Exceeded</title></html>'

/** The jobs that ask the SEC, and an address that is the first one they ask for. */
const JOBS = [
  ['universe', '/files/company_tickers_exchange.json'],
  ['sec-submissions', '/submissions/CIK'],
  ['sec-facts', '/api/xbrl/companyfacts/CIK'],
  ['nport', LIST],
] as const

describe('an address that the SEC blocks', () => {
  let database: Database
  let server: Awaited<ReturnType<typeof listen>>
  let answer: (path: string, response: ServerResponse) => void
  const asked: string[] = []
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
    server = await listen((request, response) => {
      asked.push(request.url ?? '')
      answer(request.url ?? '', response)
    })
  })
  beforeEach(() => {
    asked.length = 0
  })
  afterAll(async () => {
    await server?.close()
    await database?.close()
  })

  const run = (name: string) => {
    const log = createLogger('silent')
    const all = { sec: server.url, coinmetrics: server.url, ishares: server.url }
    const http = withProviderKeys(withProviderUrls(createHttpClient({ log, userAgent: 'test' }), all), {
      SEC_USER_AGENT: 'Example Ltd data@example.com',
    })
    const job = createJobs().find((one) => one.name === name)
    const clock = fixedClock(SEEDED_AT)
    const signal = new AbortController().signal
    // Jobs of feeds sign nothing.
    const context = { database, clock, log, http, signal, coversTo: SEEDED_AT } as unknown as JobContext
    return job?.run(context) ?? expect.fail(`there is no job ${name}`)
  }

  it.each(
    JOBS.flatMap(([name, path]) =>
      (
        [
          [403, 'Forbidden'],
          [200, PAGE],
          [200, `\ufeff\n ${PAGE}`],
        ] as const
      ).map(([status, body]) => [name, status, body, path] as const),
    ),
  )(
    'waits ten minutes: %s after status %i with %j, and asks no further',
    async (name, status, body, path) => {
      answer = (_path, response) => void response.writeHead(status).end(body)
      const error = await run(name).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(RetryLater)
      expect(error).toMatchObject({ retryAfterMs: 600_000 })
      expect(asked).toHaveLength(1)
      expect(asked[0]).toContain(path)
    },
  )

  it('waits as long after status 429', async () => {
    answer = (_path, response) => void response.writeHead(429, { 'retry-after': '0' }).end()
    await expect(run('universe')).rejects.toMatchObject({ name: 'RetryLater', retryAfterMs: 600_000 })
  }, 60_000)

  it.each([
    [403, 'Forbidden'],
    [200, PAGE],
  ])('waits as long if a document of N-PORT is answered with status %i and %j', async (status, body) => {
    answer = (path, response) => {
      if (!path.startsWith(LIST)) return void response.writeHead(status).end(body)
      const filings = path.includes('S000004310')
        ? [['NPORT-P', '0000000009-26-000001', '2026-05-28'] as const]
        : []
      response.end(filingsBody(filings))
    }
    await expect(run('nport')).rejects.toMatchObject({ name: 'RetryLater', retryAfterMs: 600_000 })
    expect(asked.filter((path) => !path.startsWith(LIST))).toHaveLength(1)
  })

  it('differs from bodies in another format: a job fails if none of its bodies could be read', async () => {
    answer = (_path, response) => void response.writeHead(404).end('{}')
    const readNothing = async (name: string) => {
      const error = await run(name).catch((reason: unknown) => reason)
      expect(error, name).toBeInstanceOf(IngestError)
      expect(error, name).not.toBeInstanceOf(RetryLater)
      expect(String(error), name).toMatch(/nothing could be read: .*status 404/)
    }
    await Promise.all(['sec-submissions', 'sec-facts', 'nport', 'ishares'].map(readNothing))
  }, 120_000)

  it('succeeds with a note if some bodies could be read', async () => {
    answer = (path, response) => {
      if (path.includes('S000067282')) return void response.writeHead(404).end()
      const body = filingBody({
        day: '2026-03-31',
        securities: [securityBody({ name: 'One', pctVal: '100' })],
      })
      const filings = filingsBody([['NPORT-P', '0000000009-26-000001', '2026-05-28']])
      response.end(path.startsWith(LIST) ? filings : body)
    }
    expect(await run('nport')).toMatchObject({
      counts: { added: 1 },
      note: expect.stringMatching(/^1 failed: SPSK: .*status 404$/),
    })
    // Known filings are asked for no more: the lists are read, and nothing is new.
    expect(await run('nport')).toMatchObject({ counts: { added: 0 }, note: expect.stringContaining('SPSK') })
  })
})
