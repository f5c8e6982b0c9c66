import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

describe('a 404 for an unknown name', () => {
  const statements: string[] = []
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), {
      database: interposed(database, (sql) => void statements.push(sql)),
    })
    key = await app.newKey({ tier: 'growth' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })
  const refusalOf = async (path: string) => {
    const { status, body } = await app.rest<{ message: string }>(path, { key })
    return `${status} ${body.message}`
  }

  it.each([
    ['BTC', 'bitcoin (BTC)'],
    ['btc', 'bitcoin (BTC)'],
    ['Bitcoin', 'bitcoin (BTC)'],
    ['bitcon', 'bitcoin (BTC)'],
    ['bitcoin-', 'bitcoin (BTC)'],
    ['etherium', 'ethereum (ETH)'],
    ['AAPL', 'apple (AAPL)'],
  ])('names the asset that %s probably means', async (id, near) => {
    const ticker = id.toUpperCase()
    const message = `No asset has the slug "${id === 'Bitcoin' || id === 'bitcoin-' ? ticker : id}"; did you mean ${near}? To get the slug of the ticker ${ticker}, use GET /v1/discover/${ticker}.`
    expect(await refusalOf(`/v1/assets/${id}`)).toBe(`404 ${message}`)
    expect(await refusalOf(`/v1/assets/${id}/ohlcv`)).toBe(`404 ${message}`)
  })

  it('explains slugs if no asset is similar', async () => {
    expect(await refusalOf('/v1/assets/nobody')).toBe(
      '404 No asset has the slug "nobody". Slugs are lower-case names such as bitcoin. To get the slug of the ticker NOBODY, use GET /v1/discover/NOBODY.',
    )
    expect(await refusalOf('/v1/assets/a%20b')).toBe(
      '404 No asset has the slug "a b". Slugs are lower-case names such as bitcoin.',
    )
  })

  it('names the stock or ETF that a wrong ticker probably means', async () => {
    expect(await refusalOf('/v1/stocks/APPL')).toBe(
      '404 No stock has the ticker APPL; did you mean AAPL? Use GET /v1/assets/search?q=APPL to search for it.',
    )
    expect(await refusalOf('/v1/etf/SPYY')).toContain('404 No ETF has the ticker SPYY; did you mean SPY?')
  })

  it('takes one more statement, for any name', async () => {
    await refusalOf('/v1/assets/bitcon')
    statements.length = 0
    await refusalOf('/v1/assets/etherium')
    const lookups = statements.filter((sql) => sql.startsWith('prisma ') || sql.includes('from asset a'))
    expect(lookups.map((sql) => sql.slice(0, 6))).toEqual(['select', 'prisma'])
  })

  it.each<[string, Readonly<Record<string, readonly string[]>>, readonly string[], number]>([
    [
      'before the run',
      { 'asset(id:': ['BTC', 'ETH', 'SOLAN', 'NOBODY', 'APPLE', 'XRP'] },
      ['ethereum (ETH)'],
      1,
    ],
    [
      'in the run',
      {
        'asset(id:': ['bitcon', 'etherium', 'nobody', 'solan', 'aple'],
        'stock(ticker:': ['APPL', 'MSFF', 'NVDB', 'GOOH', 'TSLB', 'METB'],
      },
      ['bitcoin (BTC)', 'AAPL'],
      2,
    ],
  ])('looks all names of an operation up together, %s', async (_when, wrong, near, lookups) => {
    const fields = Object.entries(wrong).flatMap(([field, names]) =>
      names.map((name, at) => `${field.slice(0, 1)}${at}: ${field} "${name}") { data { name } }`),
    )
    statements.length = 0
    const { body } = await app.graphql(`{ ${fields.join(' ')} }`, { key })
    const messages = body.errors?.map(({ message }) => message) ?? []
    expect(messages).toHaveLength(fields.length)
    for (const name of near) expect(messages.join(' ')).toContain(`did you mean ${name}?`)
    expect(statements.filter((sql) => sql === 'prisma findMany asset')).toHaveLength(lookups)
  })
})
