import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { availableDatabases } from '../../support/database/database.js'

interface Card {
  readonly asset_id: number
  readonly ticker: string
}

const CARD = `asset_id ticker name tier price_consensus_usd market_cap_derived_usd last_updated price_source
  source_count consensus_status methodology_version`
const MATCH = 'slug asset_id ticker name asset_class lei'
const INDEXED = 'asset_id slug ticker name asset_class mic is_active is_confirmed'
const META = `version cache_hit ai_generated_at ai_mode ai_model benchmark_notice computed_at data_methodology
  data_quality disclaimer disclaimer_lang_canonical disclaimer_translations fallback_used freshness_ts has_next
  is_dev_dataset licensed_for_commercial_use locale methodology_version price_type source total upstream`
const FRESHNESS =
  'data_freshness_seconds last_updated_at next_refresh_at sources freshness_status release undated_rows'
const ENVELOPED = (data: string) => `{ data { ${data} } meta { ${META} } _meta { ${FRESHNESS} } }`
const CANDLES = `{ data { asset_id slug ts vwap_usd volume_usd exchanges_count consensus_status } next_cursor
  meta { ${META} } _meta { ${FRESHNESS} } }`
const FOREX = `{ base quote source rows data { date rate } data_quality ended_on _meta { ${FRESHNESS} } }`
const DATASET = 'code name frequency unit description series_key_pattern'
const CATALOGUE = (data: string) =>
  `{ data { ${data} } total source license disclaimer _meta { ${FRESHNESS} } }`
const BIS_SERIES = `{ data { period unit value known_from known_to } meta { dataset { ${DATASET} } series_key total returned has_next page
  limit start_period end_period computed_at source license disclaimer disclaimer_fr country_code country_name
  data_quality is_dev_dataset } _meta { ${FRESHNESS} } }`
const BANK_ENTRY = 'series_id description frequency unit'
const BANK_PAGE = `total returned has_next page limit start_date end_date source license disclaimer disclaimer_fr
  data_quality is_dev_dataset`
const BOJ_SERIES = `{ data { observation_date value note unit frequency period_start period_end known_from known_to } meta { series_id series_description computed_at
  ${BANK_PAGE} } _meta { ${FRESHNESS} } }`
const BOK_SERIES = `{ data { observation_date value note unit period_start period_end known_from known_to } meta { series_id description fetched_at ${BANK_PAGE} }
  _meta { ${FRESHNESS} } }`
const MACRO_SERIES =
  'provider key dataset_code dataset_name series_key country_code country_name name unit frequency description is_discontinued'
const MACRO_PAGE = `{ data { period period_start period_end value note unit known_from known_to } series { ${MACRO_SERIES} }
  meta { total returned has_next page limit start_period end_period computed_at source license disclaimer disclaimer_fr
  data_quality is_dev_dataset } _meta { ${FRESHNESS} } }`
const ADDRESS_SNAPSHOT = `{ data { chain_id chain_name address snapshot_date contract_name is_contract is_dev_dataset label
  native_balance tx_count sanctions_status } meta { version fetched_at source license disclaimer disclaimer_fr data_quality fallback_used }
  _meta { ${FRESHNESS} } }`
const SCREENING = `{ data { lei status is_sanctioned checked_at last_listed_date legal_name opensanctions_id risk_score
  sanction_programs sanctions_lists } meta { fetched_at total_requested screened_count not_screened_count
  invalid_lei_count attribution disclaimer disclaimer_fr license lists_covered source }
  lists { list title version source license attribution is_dev_dataset _meta { ${FRESHNESS} } } _meta { ${FRESHNESS} } }`
const DISCOVER = `{ ticker figi name asset_class isin mic currency analyses_available slug _meta { ${FRESHNESS} } }`

const ONCHAIN_METRICS = `asset_id slug ticker snapshot_date active_addresses tx_count fees_total_usd avg_fee_usd source_rpc
  realized_cap_usd mvrv_ratio nupl sopr realized_price_usd hodl_waves circulating_supply_btc methodology_version`
const ASSET_FUNDAMENTALS = `asset_id ticker snapshot_date ps_ratio pr_ratio fees_30d_usd revenue_30d_usd fees_annualized
  revenue_annualized methodology_version`
const COMMODITY = 'symbol name unit currency price_usd price_date source'
const ETF = 'ticker name isin mic currency issuer nav nav_date holdings_count'

const NEWEST_CLOSE = 'newest_close { close currency date price_source source }'
const ETF_INSTRUMENT = `${NEWEST_CLOSE} ticker name isin figi mic currency issuer domicile expense_ratio inception_date net_assets_usd nav
  nav_date holdings_count last_updated`

const ETF_RESULT = `{ ticker name nav nav_date holdings_count top_holdings { ticker weight } source _meta { ${FRESHNESS} } }`

const ETF_HOLDING =
  'ticker name isin figi lei weight shares market_value_usd asset_category country report_date as_of'

const DATASETS = `{ data { dataset title description published_rule version sources freshness_status last_updated_at next_refresh_at is_dev_dataset licence
  attribution licensed_for_commercial_use rows since counted_at
  jobs { job next_run_at missing_key } findings { subject date sources difference } findings_total
  last_runs { feed source status started_at finished_at rows_changed rows_rejected } } total }`

const STOCK = `${NEWEST_CLOSE} ticker name isin figi mic exchange security_type issuer_slug currency sector_gics cik market_cap_usd market_cap_reason price_consensus_usd confidence_score
  source_count sort_value sort_period_end_date last_updated`
const ACTION = 'ticker action_type ex_date ratio description'
const ACTION_TERMS = 'ex_date ratio value_ratio description former_ticker pay_date amount currency frequency'
const ACTION_CHANGES = `{ meta { ${META} } items { change_id asset_id ticker action_type change_kind is_withdrawn
  before { ${ACTION_TERMS} } after { ${ACTION_TERMS} } changed_fields known_from recorded_at source }
  has_more next_cursor total_count _meta { ${FRESHNESS} } }`
const DIVIDEND = 'ticker ex_date pay_date amount currency frequency'

/** REST path, and the same question in GraphQL under the alias `answer`. */
const FUNDAMENTALS = `ticker period period_start_date period_end_date filing_type accession_number revenue_usd net_income_usd ebitda_usd
  interest_income_usd eps_basic eps_diluted total_debt_usd cash_and_equivalents_usd short_term_investments_usd
  total_assets_usd accounts_receivable_usd shares_outstanding public_float_usd market_cap_avg_24m_usd
  aaoifi { debt_to_market_cap cash_to_market_cap interest_income_to_revenue
    thresholds { debt_to_market_cap cash_to_market_cap interest_income_to_revenue } below_thresholds
    inputs { ratio figure value unit tag filing form period } reasons { ratio reason } }
  below_thresholds reasons { figure reason } filings { figure accession_numbers calculation note }`

const SAME_QUESTIONS: readonly (readonly [path: string, query: string])[] = [
  ['/v1/assets', `assets ${ENVELOPED(CARD)}`],
  ['/v1/assets?limit=3&offset=58', `assets(limit: 3, offset: 58) ${ENVELOPED(CARD)}`],
  ['/v1/assets?asset_class=etf&limit=100', `assets(asset_class: etf, limit: 100) ${ENVELOPED(CARD)}`],
  ['/v1/assets?tier=2&limit=100', `assets(tier: 2, limit: 100) ${ENVELOPED(CARD)}`],
  ['/v1/assets?mic=XNAS&limit=100', `assets(mic: "XNAS", limit: 100) ${ENVELOPED(CARD)}`],
  ['/v1/assets?offset=5000', `assets(offset: 5000) ${ENVELOPED(CARD)}`],
  ['/v1/assets/bitcoin', `asset(id: "bitcoin") ${ENVELOPED(CARD)}`],
  ['/v1/assets/index', `asset_index ${ENVELOPED(INDEXED)}`],
  ['/v1/assets/index?asset_class=stock', `asset_index(asset_class: stock) ${ENVELOPED(INDEXED)}`],
  [
    '/v1/candles?slugs=bitcoin,ethereum&from=2026-11-10&limit=12',
    `candles(slugs: ["bitcoin", "ethereum"], from: "2026-11-10", limit: 12) ${CANDLES}`,
  ],
  [
    '/v1/candles?asset_class=crypto&timeframe=1h&from=2026-11-20',
    `candles(asset_class: crypto, timeframe: "1h", from: "2026-11-20") ${CANDLES}`,
  ],
  ['/v1/assets/search?q=BTC', `asset_search(q: "BTC") ${ENVELOPED(MATCH)}`],
  [
    '/v1/assets/search?q=e&asset_class=stock&limit=3',
    `asset_search(q: "e", asset_class: stock, limit: 3) ${ENVELOPED(MATCH)}`,
  ],
  ['/v1/assets/search?q=nothing%20like%20it', `asset_search(q: "nothing like it") ${ENVELOPED(MATCH)}`],
  ['/v1/forex?quote=USD', `forex(quote: "USD") ${FOREX}`],
  [
    '/v1/forex?quote=jpy&from=2025-12-20&to=2026-01-05',
    `forex(quote: "jpy", from: "2025-12-20", to: "2026-01-05") ${FOREX}`,
  ],
  ['/v1/forex?quote=CHF&inverse=true', `forex(quote: "CHF", inverse: true) ${FOREX}`],
  ['/v1/forex?quote=BGN&from=2025-12-01', `forex(quote: "BGN", from: "2025-12-01") ${FOREX}`],
  ['/v1/stocks/aapl/fundamentals', `stock_fundamentals(ticker: "aapl") ${ENVELOPED(FUNDAMENTALS)}`],
  [
    '/v1/stocks/GOOGL/fundamentals?mic=XNAS',
    `stock_fundamentals(ticker: "GOOGL", mic: "XNAS") ${ENVELOPED(FUNDAMENTALS)}`,
  ],
  [
    '/v1/stocks/AAPL/fundamentals?period=ttm',
    `stock_fundamentals(ticker: "AAPL", period: ttm) ${ENVELOPED(FUNDAMENTALS)}`,
  ],
  ['/v1/macro/bis/datasets', `bis_datasets ${CATALOGUE(DATASET)}`],
  ['/v1/macro/bis/countries', `bis_countries ${CATALOGUE('code name series_keys')}`],
  [
    '/v1/macro/bis/WS_EER/Q.R.B.JP?page=2&limit=7&end_period=2024&as_of=2026-11-20T12:00:00Z',
    `bis_series(dataset_code: "WS_EER", series_key: "Q.R.B.JP", page: 2, limit: 7, end_period: "2024",
      as_of: "2026-11-20T12:00:00Z") ${BIS_SERIES}`,
  ],
  ['/v1/macro/japan/series', `boj_catalogue ${CATALOGUE(BANK_ENTRY)}`],
  [
    '/v1/macro/japan/BOJ_FM08_FXERD04?page=2&limit=5&start_date=2026-01-01&end_date=2026-06-30',
    `boj_series(series_id: "BOJ_FM08_FXERD04", page: 2, limit: 5, start_date: "2026-01-01",
      end_date: "2026-06-30") ${BOJ_SERIES}`,
  ],
  ['/v1/macro/kr/series', `bok_catalogue ${CATALOGUE(BANK_ENTRY)}`],
  [
    '/v1/macro/kr/BOK_731Y001_0000001_D?limit=3&as_of=2026-11-20T12:00:00Z',
    `bok_series(series_id: "BOK_731Y001_0000001_D", limit: 3, as_of: "2026-11-20T12:00:00Z") ${BOK_SERIES}`,
  ],
  [
    '/v1/macro/series?limit=200&offset=150',
    `macro_catalogue(limit: 200, offset: 150) ${ENVELOPED(MACRO_SERIES)}`,
  ],
  [
    '/v1/macro/series?provider=bls&q=unemployment%20rates&country=us',
    `macro_catalogue(provider: bls, q: "unemployment rates", country: "us") ${ENVELOPED(MACRO_SERIES)}`,
  ],
  [
    '/v1/macro/series/ust/PAR.10Y?page=2&limit=3&start_period=2026-Q3&end_period=2026-10',
    `macro_series(provider: ust, key: "PAR.10Y", page: 2, limit: 3, start_period: "2026-Q3", end_period: "2026-10") ${MACRO_PAGE}`,
  ],
  [
    '/v1/onchain/1/0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    `address_snapshot(chain_id: 1, address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48") ${ADDRESS_SNAPSHOT}`,
  ],
  [
    '/v1/onchain/8453/0x4200000000000000000000000000000000000006?snapshot_date=2026-11-18',
    `address_snapshot(chain_id: 8453, address: "0x4200000000000000000000000000000000000006",
      snapshot_date: "2026-11-18") ${ADDRESS_SNAPSHOT}`,
  ],
  ['/v1/etf?limit=3&offset=9', `etfs(limit: 3, offset: 9) ${ENVELOPED(ETF)}`],
  ['/v1/etf/ivv', `etf(ticker: "ivv") ${ETF_RESULT}`],
  ['/v1/etf/VWCE/instrument', `etf_instrument(ticker: "VWCE") ${ENVELOPED(ETF_INSTRUMENT)}`],
  [
    '/v1/etf/VTI/holdings?limit=5&offset=25&report_date=2026-11-18',
    `etf_holdings(ticker: "VTI", limit: 5, offset: 25, report_date: "2026-11-18") ${ENVELOPED(ETF_HOLDING)}`,
  ],
  [
    '/v1/etf/IVV/reports?limit=1',
    `etf_reports(ticker: "IVV", limit: 1) ${ENVELOPED('report_date as_of published_at holdings_count accession source')}`,
  ],
  ['/v1/discover/AAPL', `discover(ticker: "AAPL") ${DISCOVER}`],
  ['/v1/discover/btc', `discover(ticker: "btc") ${DISCOVER}`],
  ['/v1/commodities', `commodities ${ENVELOPED(COMMODITY)}`],
  ['/v1/commodities/xau', `commodity(symbol: "xau") ${ENVELOPED(COMMODITY)}`],
  [
    '/v1/commodities/xau/prices?limit=3',
    `commodity_prices(symbol: "xau", limit: 3) ${ENVELOPED('price_date price_usd source')}`,
  ],
  ['/v1/assets/ethereum/onchain', `onchain_metrics(id: "ethereum") ${ENVELOPED(ONCHAIN_METRICS)}`],
  ['/v1/assets/uniswap/fundamentals', `asset_fundamentals(id: "uniswap") ${ENVELOPED(ASSET_FUNDAMENTALS)}`],
  ['/v1/stocks', `stocks ${ENVELOPED(STOCK)}`],
  [
    '/v1/stocks?mic=xetr&sector=Materials&limit=2',
    `stocks(mic: "xetr", sector: "Materials", limit: 2) ${ENVELOPED(STOCK)}`,
  ],
  ['/v1/stocks/nvda?mic=XNAS', `stock(ticker: "nvda", mic: "XNAS") ${ENVELOPED(STOCK)}`],
  ['/v1/stocks/META/corporate-actions', `corporate_actions(ticker: "META") ${ENVELOPED(ACTION)}`],
  [
    '/v1/corporate-actions/changes?limit=4&ticker=meta&since=2020-01-01T00:00:00Z',
    `corporate_action_changes(limit: 4, ticker: "meta", since: "2020-01-01T00:00:00Z") ${ACTION_CHANGES}`,
  ],
  [
    '/v1/corporate-actions/changes?action_type=dividend&limit=2',
    `corporate_action_changes(action_type: dividend, limit: 2) ${ACTION_CHANGES}`,
  ],
  [
    '/v1/stocks/JPM/dividends?limit=3&offset=2',
    `dividends(ticker: "JPM", limit: 3, offset: 2) ${ENVELOPED(DIVIDEND)}`,
  ],
  ['/v1/datasets', `datasets ${DATASETS}`],
]

describe.each(availableDatabases())('both transports on %s', (kind) => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(kind)
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  it.each(SAME_QUESTIONS)('answer %s with the same body', async (path, query) => {
    const rest = await app.rest(path, { key })
    const graphql = await app.graphql<{ answer: unknown }>(`{ answer: ${query} }`, { key })
    expect(rest.status).toBe(200)
    expect(graphql.body.errors).toBeUndefined()
    expect(graphql.body.data?.answer).toEqual(rest.body)
  })

  it('answer a POST with the same body', async () => {
    const leis = ['5493001KJTIIGC8Y1R12', 'nonsense', ...SEED_ENTITIES.slice(0, 48).map(({ lei }) => lei)]
    const rest = await app.rest('/v1/sanctions/screen', { key, method: 'POST', body: { leis } })
    const query = `query ($leis: [String!]!) { answer: screen_leis(leis: $leis) ${SCREENING} }`
    const graphql = await app.graphql<{ answer: unknown }>(query, { key, variables: { leis } })
    expect([rest.status, graphql.body.errors]).toEqual([200, undefined])
    expect(graphql.body.data?.answer).toEqual(rest.body)
  })

  it('answer a POST with input objects with the same body', async () => {
    const leis = [...SEED_ENTITIES.slice(0, 1).map(({ lei }) => lei), 'nonsense']
    const body = {
      leis,
      registrations: [{ country: 'DE', number: 'DEV-2' }],
      on: '2026-11-20',
    }
    const rest = await app.rest<{ meta: object }>('/v1/sanctions/check', { key, method: 'POST', body })
    const query = `query ($leis: [String!], $registrations: [RegistrationNumber!], $on: Date) {
      answer: check_sanctions(leis: $leis, registrations: $registrations, on: $on) {
        data { kind identifier country status problem lists since until
          designations { list subject_id name kind country labels sanction_programs is_listed since until known_from } }
        meta { ${Object.keys(rest.body.meta).join(' ')} }
        lists { list title version source license attribution is_dev_dataset _meta { ${FRESHNESS} } } _meta { ${FRESHNESS} } } }`
    const graphql = await app.graphql<{ answer: unknown }>(query, { key, variables: body })
    expect([rest.status, graphql.body.errors]).toEqual([200, undefined])
    expect(graphql.body.data?.answer).toEqual(rest.body)
  })

  it('write members in the order of the contract: data, meta, _meta', async () => {
    const { text } = await app.rest('/v1/assets/bitcoin', { key })
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['data', 'meta', '_meta'])
    expect(text.startsWith('{"data":{"asset_id":1,"ticker":"BTC","name":"Bitcoin","tier":1,')).toBe(true)
  })

  it('mark seed data as synthetic', async () => {
    const { body } = await app.rest<{ meta: Record<string, unknown>; _meta: { sources: string[] } }>(
      '/v1/assets',
      { key },
    )
    expect(body.meta).toMatchObject({ is_dev_dataset: true, source: 'seed', upstream: null })
    expect(body._meta.sources).toEqual(['seed'])
  })

  it('page through all assets once by the Link header', async () => {
    const seen: number[] = []
    let path: string | undefined = '/v1/assets?limit=50'
    while (path) {
      const answer: Answer<{ data: Card[]; meta: { total: number } }> = await app.rest(path, { key })
      expect(answer.body.meta.total).toBe(148)
      seen.push(...answer.body.data.map((card) => card.asset_id))
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toHaveLength(148)
    expect(new Set(seen).size).toBe(148)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
  })

  it('run as many SQL statements for 1 asset with nested fields as for 100', async () => {
    interface Stocks {
      readonly assets: { readonly data: readonly { readonly stock: { readonly isin: string } }[] }
    }
    // A kept answer would run none.
    const { database, clock } = app
    const unkept = await startTestApp(kind, { database, clock, env: { CACHE_BYTES: '0' } })
    const unkeptKey = await unkept.newKey({ tier: 'pro' })
    // The fewest of several runs: what the process writes in the background is counted as well.
    const statements = async (limit: number) => {
      const query = `{ assets(limit: ${limit}, asset_class: stock) { data { ticker stock { isin mic } etf { isin } } meta { total } } }`
      const counts: number[] = []
      let rows = 0
      for (let run = 0; run < 6; run++) {
        const before = unkept.database.statementCount()
        const { body } = await unkept.graphql<Stocks>(query, { key: unkeptKey })
        counts.push(unkept.database.statementCount() - before)
        const cards = body.data?.assets.data ?? []
        expect(cards.every((card) => card.stock.isin.length === 12)).toBe(true)
        rows = cards.length
      }
      return { rows, statements: Math.min(...counts) }
    }
    const one = await statements(1)
    const hundred = await statements(100)
    await unkept.close()
    expect(one.rows).toBe(1)
    expect(hundred.rows).toBe(60)
    expect(one.statements).toBeGreaterThanOrEqual(2)
    expect(hundred.statements).toBe(one.statements)
  })

  it('give a nested edge without its scope as null with a 403 beside the rest of the answer', async () => {
    const free = await app.newKey({ tier: 'free' })
    const answer = await app.graphql<{ assets: { data: { ticker: string; stock: null }[] } }>(
      '{ assets(limit: 1, asset_class: stock) { data { ticker stock { isin } } } }',
      { key: free },
    )
    expect(answer.status).toBe(200)
    expect(answer.body.data?.assets.data[0]?.stock).toBeNull()
    expect(answer.body.errors?.[0]?.extensions).toMatchObject({
      code: 'FORBIDDEN',
      http: { status: 403 },
      required_scope: 'instruments:read',
      upgrade_url: app.config.upgradeUrl,
    })
  })

  it('leave one refused root field null and answer the others', async () => {
    const answer = await app.graphql<{ good: object; bad: null }>(
      '{ good: asset(id: "bitcoin") { data { ticker } } bad: asset(id: "BTC") { data { ticker } } }',
      { key },
    )
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({ good: { data: { ticker: 'BTC' } }, bad: null })
    expect(answer.body.errors?.map((error) => [error.path?.[0], error.extensions.code])).toEqual([
      ['bad', 'NOT_FOUND'],
    ])
  })
})
