import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.js'
import { quickestDatabase } from '../../support/database.js'

interface Operation {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'a list with aliases and nested edges': {
    query: `{ list: assets(limit: 3, asset_class: stock) { data { id: asset_id ticker stock { isin mic } etf { isin } } meta { total } } }`,
  },
  'three levels': {
    query: `{ assets(limit: 4, asset_class: crypto) { data { ticker price_consensus_usd last_updated
      ai_analysis_history(limit: 2) { total items { generated_at summary immutability { content_hash } } }
      ohlcv(timeframe: "1d", limit: 3) { rows candles { ts vwap_usd consensus_status } } } } }`,
  },
  'a field that is written twice': {
    query: `{ assets(limit: 2) { data { ticker } } assets(limit: 2) { data { name } meta { total } } }`,
  },
  'variables with defaults': {
    query: `query Page($limit: Int = 2, $class: AssetClass, $kind: AiAnalysisType) {
      assets(limit: $limit, asset_class: $class) { data { name ai_analysis_latest(analysis_type: $kind) { analysis_type content } } } }`,
    variables: { class: 'crypto' },
  },
  'skipped and included fields': {
    query: `query Some($no: Boolean!, $yes: Boolean!) { asset(id: "bitcoin") { data { name @skip(if: $yes) ticker @include(if: $yes) tier @include(if: $no) } } }`,
    variables: { no: false, yes: true },
  },
  'JSON, dates and instants': {
    query: `{ forex(quote: "USD", from: "2026-11-02") { base data { date rate } inverse { rows } ended_on }
      ai_analysis_latest(asset_id: "bitcoin") { content generated_at meta { ai_generated } } }`,
  },
  'fragments and __typename': {
    query: `{ asset(id: "bitcoin") { __typename data { ...Names tier } } } fragment Names on AssetCard { name ticker }`,
  },
  'an unknown asset beside a known one': {
    query: `{ good: asset(id: "bitcoin") { data { name } } bad: asset(id: "nothing-of-that-name") { data { name } } }`,
  },
  'a nested edge with arguments out of bounds': {
    query: `{ assets(limit: 2, asset_class: crypto) { data { name ohlcv(timeframe: "1d", limit: 5000) { rows } } } }`,
  },
  'arguments that are refused': { query: `{ assets(limit: 1000) { meta { total } } }` },
  'a variable of the wrong type': {
    query: `query One($id: String!) { asset(id: $id) { data { name } } }`,
    variables: { id: 7 },
  },
  'aliases that objects have members of': {
    query: `{ then: asset(id: "bitcoin") { data { constructor: name toString: ticker parent: tier context: asset_id } } }`,
  },
  'a text with quotes and line ends': {
    query: `{ asset(id: "\\"');}\\n\\u2028//") { data { name } } }`,
  },
  'an edge that fails for all parents beside one that does not': {
    query: `{ assets(limit: 3) { data { ticker wrong: ohlcv(from: "9999-12-31") { rows } right: ohlcv(limit: 1) { rows } } } }`,
  },
  'a variable that is missing': { query: `query One($id: String!) { asset(id: $id) { data { name } } }` },
}

describe('an operation that comes again and again', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    // Answers from the cache would hide who made them.
    app = await startTestApp(quickestDatabase(), { env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  it.each(Object.entries(OPERATIONS))(
    'is answered alike each time: %s',
    async (_name, { query, variables }) => {
      const ask = async () => {
        const headers = { 'x-request-id': 'the-same-each-time', accept: 'application/graphql-response+json' }
        const answer = await app.graphql(query, { key, headers, ...(variables ? { variables } : {}) })
        return { status: answer.status, text: answer.text.replace(/"remaining":\d+/, '"remaining":0') }
      }
      const first = await ask()
      expect(first.text).toMatch(/"(data|errors)":/)
      for (let runs = 1; runs < 6; runs++) expect(await ask()).toEqual(first)
    },
  )
})
