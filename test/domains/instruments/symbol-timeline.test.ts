import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const AUGUST = samplePath('universe/company_tickers_exchange_2025-08.json')
const DECEMBER = samplePath('universe/company_tickers_exchange.json')
const FIRST_DAY = '2025-08-24'
const SECOND_DAY = '2025-12-14'

interface Period {
  readonly name: string
  readonly cik: string | null
  readonly slug: string | null
  readonly mic: string | null
  readonly exchange: string | null
  readonly valid_from: string | null
  readonly valid_to: string | null
  readonly successor: string | null
  readonly is_observed: boolean
  readonly is_contradicted: boolean
  readonly source: string
}

interface Symbols {
  readonly data: readonly Period[]
  readonly meta: { readonly total: number; readonly data_quality: string }
}

const run = (database: Database, feed: string, day: string, body: Uint8Array | null) =>
  runFeed(
    {
      database,
      clock: fixedClock(new Date(`${day}T10:30:00Z`)),
      log: createLogger('silent'),
      fetchBody: () => expect.fail('nothing is fetched'),
    },
    findFeed(feed),
    body === null
      ? usualSourceOf(findFeed(feed).feed)
      : { kind: 'bytes', bytes: body, origin: 'recorded list' },
  )

/** The lists of the SEC of two days, as they were recorded, and the masters of the reference. */
describe.skipIf(AUGUST === null || DECEMBER === null)(
  'the timeline of tickers from recorded lists (skipped without their files)',
  () => {
    let app: TestApp
    let key: string
    beforeAll(async () => {
      const database = await openTestDatabase(quickestDatabase())
      await run(database, 'reference', '2025-08-01', null)
      const first = await run(database, 'sec-symbols', FIRST_DAY, await readFile(AUGUST ?? ''))
      // Also the assets that the list creates.
      expect(first).toMatchObject({ rows: 10_069, added: 10_069, rejected: 0, alsoChanged: 9_861 })
      const second = await run(database, 'sec-symbols', SECOND_DAY, await readFile(DECEMBER ?? ''))
      expect(second).toMatchObject({ rows: 10_218, added: 981, alsoChanged: 2_271, rejected: 0 })
      app = await startTestApp(quickestDatabase(), { database, env: { CACHE_BYTES: '0' } })
      key = await app.newKey({ tier: 'starter' })
    })
    afterAll(async () => {
      await app?.close()
      await app?.database.close()
    })

    const periodsOf = async (ticker: string, query = '') => {
      const { status, body } = await app.rest<Symbols>(`/v1/symbols/${ticker}${query}`, { key })
      expect(status).toBe(200)
      return body
    }
    const shown = ({ data }: Symbols) =>
      data.map(({ cik, exchange, valid_from, valid_to, successor }) => [
        cik,
        exchange,
        valid_from,
        valid_to,
        successor,
      ])

    it.each([
      ['FI', 'FISV', '0000798354', 'NYSE', 'Nasdaq'],
      ['GCI', 'TDAY', '0001579684', 'NYSE', 'NYSE'],
      ['ATUS', 'OPTU', '0001702780', 'NYSE', 'NYSE'],
      ['ERJ', 'EMBJ', '0001355444', 'NYSE', 'NYSE'],
      ['CCCS', 'CCC', '0001818201', 'Nasdaq', 'Nasdaq'],
    ])('shows that %s became %s', async (before, after, cik, exchangeBefore, exchangeAfter) => {
      expect(shown(await periodsOf(before))).toEqual([[cik, exchangeBefore, null, SECOND_DAY, after]])
      expect(shown(await periodsOf(after))).toEqual([[cik, exchangeAfter, SECOND_DAY, null, null]])
    })

    it.each([
      ['BRR', '0002056263', '0002076163'],
      ['LLYVA', '0002078416', '0001560385'],
      ['CAAS', '0001157762', '0002037400'],
    ])(
      'shows that %s was used again by another company, without a contradiction',
      async (ticker, was, is) => {
        const body = await periodsOf(ticker)
        expect(shown(body)).toEqual([
          [is, 'Nasdaq', SECOND_DAY, null, null],
          [was, 'Nasdaq', null, SECOND_DAY, null],
        ])
        expect([body.meta.data_quality, body.data.some((one) => one.is_contradicted)]).toEqual([
          'full',
          false,
        ])
        expect(shown(await periodsOf(ticker, `?on=${FIRST_DAY}`))).toEqual([
          [was, 'Nasdaq', null, SECOND_DAY, null],
        ])
      },
    )

    it.each([
      ['WBA', '0001618921', 'Nasdaq'],
      ['FL', '0000850209', 'NYSE'],
      ['SKX', '0001065837', 'NYSE'],
      ['IPG', '0000051644', 'NYSE'],
    ])('shows that %s was delisted, without a successor', async (ticker, cik, exchange) => {
      expect(shown(await periodsOf(ticker))).toEqual([[cik, exchange, null, SECOND_DAY, null]])
      const after = await app.rest(`/v1/symbols/${ticker}?on=2026-01-02`, { key })
      expect(after.status).toBe(404)
    })

    it('shows that Walmart moved from NYSE to Nasdaq under the same ticker', async () => {
      const { data } = await periodsOf('WMT')
      expect(data.map(({ cik }) => cik)).toEqual(['0000104169', '0000104169'])
      expect(data.map((one) => [one.valid_from, one.valid_to, one.is_contradicted])).toEqual([
        [SECOND_DAY, null, false],
        [null, SECOND_DAY, false],
      ])
    })

    it('shows an asset of the masters once, with its slug, and the FIGI that survives a renaming', async () => {
      const apple = await periodsOf('AAPL')
      expect(apple.data).toMatchObject([
        {
          slug: 'apple',
          cik: '0000320193',
          mic: 'XNAS',
          exchange: null,
          source: 'reference',
          valid_to: null,
        },
      ])
      expect((await periodsOf('FB')).data).toMatchObject([
        { slug: 'meta-platforms', successor: 'META', valid_to: '2022-06-09', is_observed: false },
      ])
      expect((await periodsOf('BRK.B')).data).toMatchObject([{ cik: '0001067983' }])
    })

    it('does not mix a coin and a fund with the same ticker', async () => {
      const { data } = await periodsOf('BTC')
      expect(data.map(({ slug, cik, is_contradicted }) => [slug, cik, is_contradicted])).toEqual([
        ['bitcoin', null, false],
        ['grayscale-bitcoin-mini-trust-etf', '0002015034', false],
      ])
    })

    it('shows what was known before the second list', async () => {
      const before = await periodsOf('BRR', '?as_of=2025-12-01T00:00:00Z')
      expect(shown(before)).toEqual([['0002056263', 'Nasdaq', null, null, null]])
    })

    it('lets discover find the company that had a ticker on a day', async () => {
      const path = `/v1/discover/BRR?on=${FIRST_DAY}`
      const { body } = await app.rest<{ name: string; slug: string | null; mic: string | null }>(path, {
        key,
      })
      expect(body).toMatchObject({
        name: 'Columbus Circle Capital Corp. I',
        slug: 'columbus-circle-capital-corp-i',
        mic: null, // it was delisted since, and the answer has the asset as it is now
      })
    })
  },
)
