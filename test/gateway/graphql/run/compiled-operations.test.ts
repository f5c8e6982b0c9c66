import { setTimeout as sleep } from 'node:timers/promises'
import { type DocumentNode, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withEnumNames } from '../../../../src/gateway/graphql/documents/enum-names.js'
import { CompiledOperations } from '../../../../src/gateway/graphql/run/compiled-operations.js'
import { graphSchema } from '../../../../src/schema.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { quickestDatabase } from '../../../support/database/database.js'

/** Longer than the least time between two compilations. */
const UNTIL_COMPILED_MS = 150

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
  'names of the compiled function itself': {
    query: `{ then: asset(id: "bitcoin") { data { constructor: name toString: ticker parent: tier context: asset_id } } }`,
  },
  'a text with quotes and line ends': {
    query: `{ asset(id: "\\"');}\\n\\u2028//") { data { name } } }`,
  },
  'an edge that fails for all parents beside one that does not': {
    query: `{ assets(limit: 3) { data { ticker wrong: ohlcv(from: "9999-12-31") { rows } right: ohlcv(limit: 1) { rows } } } }`,
  },
  'texts of an enum as a literal, a variable and a default': {
    query: `query Texts($frame: Timeframe, $hourly: Timeframe = "1h") { asset(id: "bitcoin") { data {
      one: ohlcv(timeframe: "1d", limit: 2) { timeframe rows } two: ohlcv(timeframe: $frame, limit: 2) { timeframe rows }
      three: ohlcv(timeframe: $hourly, limit: 2) { timeframe rows } } } }`,
    variables: { frame: '1d' },
  },
  'a variable that is missing': { query: `query One($id: String!) { asset(id: $id) { data { name } } }` },
}

describe('a repeated operation', () => {
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
      for (let runs = 1; runs < 6; runs++) {
        // One operation is compiled in so many milliseconds: that of the test before may have been the last.
        await sleep(UNTIL_COMPILED_MS / 3)
        expect(await ask()).toEqual(first)
      }
    },
  )
})

describe('compiled operations', () => {
  /** Every moment is late enough to compile, unless the test says otherwise. */
  function unhurried(options: { maxBytes?: number } = {}): CompiledOperations {
    let nowMs = 0
    return new CompiledOperations(graphSchema, {
      ...options,
      nowMs: () => {
        nowMs += 1_000
        return nowMs
      },
    })
  }
  const runsUntilCompiled = (operations: CompiledOperations, document: DocumentNode): number | null => {
    for (let runs = 1; runs <= 10; runs++) if (operations.of(document) !== null) return runs
    return null
  }
  const numbered = (n: number) => parse(`{ a${n}: asset(id: "bitcoin") { data { ticker name tier } } }`)

  it('are compiled at the third run', () => {
    expect(runsUntilCompiled(unhurried(), numbered(1))).toBe(3)
  })

  it.each([
    ['a literal', `{ asset(id: "a") { data { ohlcv(timeframe: "1d") { rows } } } }`],
    [
      'a variable with a default',
      `query Q($frame: Timeframe = "1d") { asset(id: "a") { data { ohlcv(timeframe: $frame) { rows } } } }`,
    ],
  ])('include documents that state an enum value by its text as %s', (_what, text) => {
    expect(runsUntilCompiled(unhurried(), withEnumNames(graphSchema, parse(text)))).toBe(3)
  })

  it.each([
    ['a fragment', `{ asset(id: "a") { data { ...F } } } fragment F on AssetCard { name }`],
    ['an inline fragment', `{ asset(id: "a") { data { ... on AssetCard { name } } } }`],
    ['a directive', `{ asset(id: "a") { data { name @include(if: true) } } }`],
    [
      'two operations',
      `query A { asset(id: "a") { data { name } } } query B { asset(id: "a") { data { name } } }`,
    ],
    ['a mutation', `mutation { login(email: "a@b.example", password: "x") { access_token } }`],
    ['the name of the prototype', `{ __proto__: asset(id: "a") { data { name } } }`],
    ['more than 300 tokens', `{ ${'asset(id: "a") { data { name } } '.repeat(40)} }`],
  ])('do not include those with %s', (_what, text) => {
    const operations = unhurried()
    expect([runsUntilCompiled(operations, parse(text)), operations.bytes]).toEqual([null, 0])
  })

  it('are bounded by bytes; the least recently used is dropped', () => {
    const operations = unhurried({ maxBytes: 1_000_000 })
    const documents = Array.from({ length: 50 }, (_, n) => numbered(n))
    for (const document of documents) expect(runsUntilCompiled(operations, document)).toBe(3)
    expect(operations.bytes).toBeLessThanOrEqual(1_000_000)
    expect(operations.bytes).toBeGreaterThan(800_000)
  })

  it('are compiled one per 100 ms at most; the others use the executor meanwhile', () => {
    let nowMs = 0
    const operations = new CompiledOperations(graphSchema, { nowMs: () => nowMs })
    const [first, second] = [numbered(1), numbered(2)]
    expect(runsUntilCompiled(operations, first)).toBe(3)
    expect(runsUntilCompiled(operations, second)).toBeNull()
    nowMs = 100
    expect(operations.of(second)).not.toBeNull()
  })
})
