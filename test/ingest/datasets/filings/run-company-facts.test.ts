import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { loadMasters } from '../../../../src/domains/instruments/masters/masters-store.js'
import { companyFactsGroup } from '../../../../src/ingest/datasets/filings/company-facts-group.js'
import { RetryLater } from '../../../../src/ingest/feed.js'
import { downloadBodyWith } from '../../../../src/ingest/run/ask-for-body.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../../src/platform/http-client/provider-addresses.js'
import { withProviderKeys } from '../../../../src/platform/http-client/provider-keys.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { runGroup, runOperatorFile } from '../../../support/ingest/run-group.js'

const AGENT = 'Example Ltd data@example.com'
const NOW = '2026-11-20T12:00:00Z'

/** The body of a company with one fact, of two years. */
function bodyOf(cik: string, revenue: number, years = [2024, 2025]) {
  const facts = years.map((year) => ({
    start: `${year}-01-01`,
    end: `${year}-12-31`,
    val: revenue,
    accn: `0000000001-${String(year + 1).slice(2)}-000001`,
    form: '10-K',
    filed: `${year + 1}-02-20`,
  }))
  return JSON.stringify({ cik: Number(cik), facts: { 'us-gaap': { Revenues: { units: { USD: facts } } } } })
}

describe.each(availableDatabases())('figures of companies from EDGAR on %s', (kind) => {
  let database: Database
  let url: string
  let answer: (cik: string) => { readonly status?: number; readonly body: string }
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.headers['user-agent']} ${request.url}`)
    const { status = 200, body } = answer(/CIK(\d{10})/.exec(request.url ?? '')?.[1] ?? '')
    response.writeHead(status).end(body)
  })
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  })
  beforeEach(() => {
    asked.length = 0
  })
  afterAll(async () => {
    await database?.close()
    server.closeAllConnections()
    server.close()
  })

  const run = (at: string, ...slugs: string[]) => {
    const log = createLogger('silent')
    const client = withProviderUrls(createHttpClient({ log, allowPrivateAddresses: true } as never), {
      sec: url,
    })
    const http = withProviderKeys(client, { SEC_USER_AGENT: AGENT })
    const deps = { database, clock: fixedClock(at), downloadBody: downloadBodyWith(http) }
    return runGroup(companyFactsGroup, deps, { assets: slugs })
  }
  const stored = async () => {
    const rows = await database.rows<{ cik: string; revenue: string }>(
      `select cik || ' ' || period_end as cik, coalesce(trim_scale(value)::text, 'withdrawn') as revenue from filed_fact
       where known_to is null order by 1`,
    )
    return rows.map(({ cik, revenue }) => `${cik} ${revenue}`)
  }

  it('replace the synthetic ones, with one request per company that identifies the caller', async () => {
    answer = (cik) => ({ body: bodyOf(cik, 100) })
    expect(await run(NOW, 'apple', 'nvidia')).toMatchObject({ done: 2, added: 4, failed: [] })
    expect(asked).toEqual([
      `${AGENT} /api/xbrl/companyfacts/CIK0000320193.json`,
      `${AGENT} /api/xbrl/companyfacts/CIK0001045810.json`,
    ])
    expect(await stored()).toEqual([
      '0000320193 2024-12-31 100',
      '0000320193 2025-12-31 100',
      '0001045810 2024-12-31 100',
      '0001045810 2025-12-31 100',
    ])
  })

  it('change nothing the next day; changed values are revised, missing ones withdrawn', async () => {
    expect(await run('2026-11-21T12:00:00Z', 'apple')).toMatchObject({ added: 0, revised: 0, unchanged: 2 })
    answer = (cik) => ({ body: bodyOf(cik, 120, [2025]) })
    expect(await run('2026-11-22T12:00:00Z', 'apple')).toMatchObject({ added: 0, revised: 1, alsoChanged: 1 })
    expect((await stored()).slice(0, 2)).toEqual([
      '0000320193 2024-12-31 withdrawn',
      '0000320193 2025-12-31 120',
    ])
    answer = (cik) => ({ body: bodyOf(cik, 120) })
    expect(await run('2026-11-23T12:00:00Z', 'apple')).toMatchObject({ added: 0, revised: 1, unchanged: 1 })
  })

  it('of an unreadable company do not hinder the others', async () => {
    answer = (cik) =>
      cik === '0000320193'
        ? { body: '{"cik":320193}' }
        : cik === '0000789019'
          ? { status: 404, body: '' }
          : { body: bodyOf(cik, 100) }
    const summary = await run('2026-11-24T12:00:00Z', 'apple', 'microsoft', 'nvidia')
    expect(summary).toMatchObject({ done: 1, unchanged: 2 })
    expect(summary.failed.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      expect.stringMatching(/^apple: the body has no facts/),
      expect.stringMatching(/^microsoft: .*status 404/),
    ])
    await expect(run(NOW, 'bitcoin')).rejects.toThrow('no stock with a CIK has the slug bitcoin')
  })

  it('stay if a body lacks many known facts', async () => {
    const years = Array.from({ length: 40 }, (_, at) => 1980 + at)
    answer = (cik) => ({ body: bodyOf(cik, 7, cik === '0000789019' ? years : [2024, 2025]) })
    expect(await run('2026-11-24T13:00:00Z', 'microsoft')).toMatchObject({ added: 40 })
    answer = (cik) => ({ body: bodyOf(cik, 100, cik === '0000789019' ? [1980] : [2024, 2025]) })
    const summary = await run('2026-11-24T14:00:00Z', 'microsoft', 'nvidia')
    expect(summary).toMatchObject({ done: 1, unchanged: 2 })
    expect(summary.failed).toEqual([{ name: 'microsoft', reason: expect.stringContaining('likely cut off') }])
    expect((await stored()).filter((row) => row.startsWith('0000789019') && row.endsWith(' 7'))).toHaveLength(
      40,
    )
  })

  it.each([
    [200, '<!DOCTYPE html><html>Your request originates from an undeclared automated tool'],
    [403, '<html>Request Rate Threshold Exceeded'],
    [429, ''],
  ])(
    'wait ten minutes after status %i with %j, and ask for no further company',
    async (status, body) => {
      answer = () => ({ status, body })
      const error = await run('2026-11-25T12:00:00Z').catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(RetryLater)
      expect(error).toMatchObject({ retryAfterMs: 600_000 })
      expect(new Set(asked).size).toBe(1)
    },
    60_000,
  )

  it('have prices from a file, which a later file revises', async () => {
    expect((await loadMasters(database)).length).toBeGreaterThan(0)
    const give = (at: string, ...rows: string[]) => {
      const bytes = new TextEncoder().encode(['ticker,mic,date,close,currency', ...rows].join('\n'))
      const fetchBody = () => expect.fail('nothing is fetched')
      const deps = { database, clock: fixedClock(at), log: createLogger('silent'), fetchBody }
      return runOperatorFile('prices', deps, { kind: 'bytes', bytes, origin: 'prices.csv' })
    }
    const first = await give(NOW, 'NVDA,XNAS,2026-01-30,191.13,USD', 'AAPL,,2026-01-30,250,USD')
    expect(first).toMatchObject({ added: 2, removedSeed: expect.any(Number), rejected: 0 })
    expect(first.removedSeed).toBeGreaterThan(500)
    expect(await give('2026-11-21T12:00:00Z', 'NVDA,XNAS,2026-01-30,191.13,USD')).toMatchObject({
      unchanged: 1,
    })
    expect(await give('2026-11-22T12:00:00Z', 'NVDA,XNAS,2026-01-30,191.2,USD')).toMatchObject({ revised: 1 })
    const rows = await database.rows<{ close: string; source: string }>(
      `select trim_scale(close)::text as close, source from daily_price where known_to is null order by close`,
    )
    expect(rows).toEqual([
      { close: '191.2', source: 'operator' },
      { close: '250', source: 'operator' },
    ])
  })
})
