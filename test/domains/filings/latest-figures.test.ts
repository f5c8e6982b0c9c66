import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Figures {
  readonly revenue_usd: number | null
}

interface Answer {
  readonly stocks: {
    readonly data: readonly { readonly latest_figures: Figures | null; readonly fundamentals?: Figures }[]
  }
}

const FIGURES = '{ period_end_date revenue_usd net_income_usd }'

describe('the latest figures of stocks', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const list = async (limit: number, fields: string) => {
    const { body } = await app.graphql<Answer>(`{ stocks(limit: ${limit}) { data { ${fields} } } }`, { key })
    expect(body.errors).toBeUndefined()
    return body.data?.stocks.data ?? []
  }

  it.each(['', '(period: null)', '(period: quarter)', '(period: ttm)'])(
    'are those of the fundamentals of every stock: %s',
    async (period) => {
      const kind = period.replace('null', 'year')
      const stocks = await list(100, `latest_figures${period} ${FIGURES} fundamentals${kind} ${FIGURES}`)
      expect(
        stocks.filter(({ latest_figures }) => latest_figures?.revenue_usd != null).length,
      ).toBeGreaterThan(20)
      for (const { latest_figures, fundamentals } of stocks) expect(latest_figures).toEqual(fundamentals)
    },
  )

  it('need as many statements for forty stocks as for two', async () => {
    const statementsOf = async (limit: number) => {
      await list(limit, 'ticker')
      const before = app.database.statementCount()
      await list(limit, `latest_figures(period: ttm) ${FIGURES}`)
      return app.database.statementCount() - before
    }
    expect(await statementsOf(40)).toBe(await statementsOf(2))
  })
})
