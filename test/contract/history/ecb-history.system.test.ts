import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFeed } from '../../../src/ingest/registry.js'
import { fetchBodyWith } from '../../../src/ingest/run/ask-for-body.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const FILE = samplePath('ecb/eurofxref-hist.csv')
const DRAWN = 200

interface Forex {
  readonly source: string
  readonly rows: number
  readonly data: readonly { readonly date: string; readonly rate: number }[]
}

/** The official file read as plainly as can be: date → currency → rate. */
function readFile(path: string): { currencies: string[]; days: Map<string, Map<string, number>> } {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  const columns = header.split(',').map((cell) => cell.trim())
  const days = new Map<string, Map<string, number>>()
  for (const line of lines) {
    const cells = line.split(',').map((cell) => cell.trim())
    const rates = new Map<string, number>()
    columns.forEach((currency, index) => {
      const cell = cells[index]
      if (index > 0 && currency && cell && cell !== 'N/A') rates.set(currency, Number(cell))
    })
    days.set(cells[0] ?? '', rates)
  }
  return { currencies: columns.slice(1).filter(Boolean), days }
}

describe.skipIf(FILE === null)(
  'the whole history of the European Central Bank (skipped without its sample file)',
  () => {
    describe.each([quickestDatabase()])('the ECB history on %s', (kind) => {
      const path = FILE ?? ''
      let app: TestApp
      let key: string
      beforeAll(async () => {
        app = await startTestApp(kind)
        key = await app.newKey({ tier: 'enterprise' })
        const log = createLogger('silent')
        const fetchBody = fetchBodyWith(createHttpClient({ log, userAgent: 'test' }))
        const deps = { database: app.database, clock: app.clock, fetchBody, log }
        await runFeed(deps, findFeed('ecb-history'), { kind: 'file', path })
        app.clock.advance(1_000) // versions are read again every half second
      }, 300_000)
      afterAll(() => app?.close())

      it('is served figure by figure for every currency and 200 days, in REST and GraphQL', async () => {
        const { currencies, days } = readFile(path)
        expect(currencies).toHaveLength(41)
        const dates = [...days.keys()]
        const drawn = Array.from(
          { length: DRAWN },
          () => dates[Math.floor(Math.random() * dates.length)] ?? '',
        )
        const [to = '', from = ''] = [dates[0], dates.at(-1)]
        for (const currency of currencies) {
          const rest = await app.rest<Forex>(`/v1/forex?quote=${currency}&from=${from}&to=${to}`, { key })
          const graphql = await app.graphql<{ forex: Forex }>(
            `{ forex(quote: "${currency}", from: "${from}", to: "${to}") { source rows data { date rate } } }`,
            { key },
          )
          const answered = new Map(rest.body.data.map(({ date, rate }) => [date, rate]))
          expect(graphql.body.data?.forex.data).toEqual(rest.body.data)
          expect(rest.body.source).toBe('ecb')
          for (const date of drawn) {
            expect(answered.get(date), `${currency} on ${date}`).toBe(days.get(date)?.get(currency))
          }
        }
      }, 120_000)

      it.each([
        ['BGN', '2025-12-31'],
        ['HRK', '2022-12-30'],
        ['RUB', '2022-03-01'],
      ])('ends %s on %s, as the file does', async (currency, end) => {
        const { body } = await app.rest<Forex>(`/v1/forex?quote=${currency}&from=1999-01-01`, { key })
        expect(body.data.at(-1)?.date).toBe(end)
        const graphql = await app.graphql<{ forex: { ended_on: string } }>(
          `{ forex(quote: "${currency}") { ended_on } }`,
          { key },
        )
        expect(graphql.body.data?.forex.ended_on).toBe(end)
      })

      it('replaces all seed rates', async () => {
        const rows = await app.database.rows<{ source: string }>('select distinct source from forex_rate')
        expect(rows.map((row) => row.source)).toEqual(['ecb'])
      })
    })
  },
)
