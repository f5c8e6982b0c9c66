import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { APPLE, fails, neverAnswers, OpenFigiStage, sends } from '../../ingest/providers/openfigi/stage.js'
import { type GraphQLAnswer, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { watchRequests } from '../../support/waited-ms.js'

interface DiscoverBody {
  readonly name: string
  readonly _meta: { readonly sources: readonly string[]; readonly freshness_status: string }
}

interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly retry_after?: number
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const DISCOVER = `{ ticker figi name asset_class isin mic currency analyses_available slug
  _meta { data_freshness_seconds last_updated_at next_refresh_at sources freshness_status release undated_rows } }`

const found = (ticker: string) => sends([{ data: [{ ...APPLE, ticker, name: `${ticker} INC` }] }])

describe('GET /v1/discover/{ticker} and discover', () => {
  const stage = new OpenFigiStage()
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { PROVIDER_URL_OPENFIGI: await stage.open() } })
    key = await app.newKey({ tier: 'pro' })
  })
  beforeEach(() => stage.play(neverAnswers))
  afterAll(async () => {
    await app?.close()
    await stage.close()
  })

  const rest = <Body>(ticker: string) => app.rest<Body>(`/v1/discover/${encodeURIComponent(ticker)}`, { key })
  const graphql = (ticker: string) =>
    app.graphql<{ discover: DiscoverBody | null }>(
      `query ($ticker: String!) { discover(ticker: $ticker) ${DISCOVER} }`,
      {
        key,
        variables: { ticker },
      },
    )
  const firstError = (answer: { readonly body: GraphQLAnswer<unknown> }) => answer.body.errors?.[0]

  it('answer from the master, with age and source of its dataset', async () => {
    const { status, body } = await rest('aapl')
    expect(status).toBe(200)
    expect(body).toEqual({
      ticker: 'AAPL',
      figi: 'BBG000B9XRY4',
      name: 'Apple Inc.',
      asset_class: 'stock',
      isin: 'US0378331005',
      mic: 'XNAS',
      currency: 'USD',
      analyses_available: ['en'],
      slug: 'apple',
      _meta: {
        data_freshness_seconds: 0,
        last_updated_at: SEEDED_AT.toISOString(),
        next_refresh_at: '2026-12-20T12:00:00.000Z',
        sources: ['seed'],
        freshness_status: 'fresh',
        release: null,
        undated_rows: null,
      },
    })
    expect((await graphql('AAPL')).body.data?.discover).toEqual(body)
    expect(stage.asked).toEqual([])
  })

  it('answer from OpenFIGI with one request for both, with age and source of its answer', async () => {
    stage.play(found('QQQX'))
    const { status, body } = await rest<DiscoverBody>('QQQX')
    expect(status).toBe(200)
    expect(body).toEqual({
      ticker: 'QQQX',
      figi: 'BBG000B9XRY4',
      name: 'QQQX INC',
      asset_class: 'stock',
      isin: null,
      mic: null,
      currency: 'USD',
      analyses_available: [],
      slug: null,
      _meta: {
        data_freshness_seconds: 0,
        last_updated_at: SEEDED_AT.toISOString(),
        next_refresh_at: '2026-12-20T12:00:00.000Z',
        sources: ['openfigi'],
        freshness_status: 'fresh',
        release: null,
        undated_rows: null,
      },
    })
    expect((await graphql('qqqx')).body.data?.discover).toEqual(body)
    expect(stage.asked).toHaveLength(1)
  })

  it('give 404, naming ticker and sources, for an unknown ticker', async () => {
    stage.play(sends([{ warning: 'No identifier found.' }]))
    const message =
      'No instrument has the ticker NOSUCH. It is neither in the instrument master nor known to openfigi.'
    const answer = await rest<ErrorBody>('NOSUCH')
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ error: 'not_found', message })
    const inGraphql = await graphql('NOSUCH')
    expect(inGraphql.status).toBe(404)
    expect(firstError(inGraphql)).toMatchObject({
      message,
      extensions: { code: 'NOT_FOUND', http: { status: 404 } },
    })
    expect(stage.asked).toHaveLength(1)
  })

  it.each([
    ['throttles', 'DOWNA', fails(429, { 'retry-after': '17' }), 17],
    ['breaks', 'DOWNB', fails(500), 30],
    ['sends a page', 'DOWNC', sends('<html>'), 30],
    ['refuses the job', 'DOWND', sends([{ error: 'Invalid idValue format.' }]), 30],
  ])('give 503 with the time of the next try while OpenFIGI %s', async (_, ticker, answer, seconds) => {
    stage.play(answer)
    const retry_after = SEEDED_AT.getTime() / 1000 + seconds
    const refused = await rest<ErrorBody>(ticker)
    expect(refused.status).toBe(503)
    expect(refused.body).toMatchObject({ error: 'service_unavailable', retry_after })
    expect(refused.body.message).toContain(`${ticker} is not in the instrument master`)
    expect(refused.headers.get('retry-after')).toBe(String(seconds))
    const inGraphql = await graphql(ticker)
    expect(inGraphql.status).toBe(503)
    expect(firstError(inGraphql)?.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retry_after })
    // Nothing was kept: as soon as OpenFIGI is back, so is the answer.
    stage.play(found(ticker))
    expect((await rest<DiscoverBody>(ticker)).body.name).toBe(`${ticker} INC`)
  })

  it('give 503 within two seconds if OpenFIGI does not answer', async () => {
    const requests = watchRequests()
    expect((await rest('SLOW')).status).toBe(503)
    requests.stop()
    expect(Math.max(...requests.waits())).toBeLessThanOrEqual(2_000)
  })

  it('give 422 for an invalid ticker, without a request to OpenFIGI', async () => {
    const details = [{ field: 'ticker', message: expect.stringContaining('must be a ticker') }]
    const refused = await rest<ErrorBody>('not a ticker!')
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({ error: 'validation_error', details })
    const inGraphql = await graphql('not a ticker!')
    expect(firstError(inGraphql)?.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      http: { status: 422 },
      details,
    })
    expect(stage.asked).toEqual([])
  })

  it('give 401 without a key', async () => {
    expect((await app.rest('/v1/discover/AAPL')).status).toBe(401)
  })

  it('count in the discover window of the free tier', async () => {
    const free = await app.newKey({ tier: 'free' })
    const { headers } = await app.rest('/v1/discover/AAPL', { key: free })
    expect(headers.get('ratelimit-policy')).toContain('"discover_day";q=50;w=86400')
  })

  it('show the listings of stocks and ETFs under their asset cards', async () => {
    const query = `{
      stocks: assets(asset_class: stock, limit: 1) { data { asset_class
        stock { ticker name isin figi mic currency sector_gics cik market_cap_usd price_consensus_usd
          confidence_score source_count last_updated }
        etf { ticker } } }
      etfs: assets(asset_class: etf, limit: 1) { data {
        etf { ticker name isin figi mic currency last_updated } stock { ticker } } }
    }`
    const { body } = await app.graphql<{
      stocks: { data: readonly unknown[] }
      etfs: { data: readonly { readonly etf: Readonly<Record<string, unknown>>; readonly stock: null }[] }
    }>(query, { key })
    expect(body.data?.stocks.data).toEqual([
      {
        asset_class: 'stock',
        stock: {
          ticker: 'AAPL',
          name: 'Apple Inc.',
          isin: 'US0378331005',
          figi: 'BBG000B9XRY4',
          mic: 'XNAS',
          currency: 'USD',
          sector_gics: 'Information Technology',
          cik: '0000320193',
          market_cap_usd: 146_207_160_000,
          price_consensus_usd: null,
          confidence_score: null,
          source_count: null,
          last_updated: SEEDED_AT.toISOString(),
        },
        etf: null,
      },
    ])
    const [fund] = body.data?.etfs.data ?? []
    expect(fund?.stock).toBeNull()
    expect(fund?.etf).toMatchObject({ currency: 'USD', last_updated: SEEDED_AT.toISOString() })
  })
})
