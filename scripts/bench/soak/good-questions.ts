import { randomInt, randomUUID } from 'node:crypto'
import { ANALYSIS_TYPES, CHANGE_TYPES } from '../../../src/domains/analysis/model.js'
import { FOREX_CURRENCIES } from '../../../src/domains/forex/model.js'
import { type Catalogue, chooseAny, get, graphql, type QuestionKind } from './question.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The seed has hourly candles of a week and daily candles of a year. */
const HOURS_BACK = 24 * 7
const DAYS_BACK = 360

/** Valid requests of clients. Most are new, so that cached responses are replaced. */
export function goodQuestions(catalogue: Catalogue): readonly QuestionKind[] {
  return [...restQuestions(catalogue), ...graphqlQuestions(catalogue)]
}

function restQuestions({ slugs, tickers }: Catalogue): readonly QuestionKind[] {
  const asset = () => `/v1/assets/${chooseAny(slugs)}`
  const analysis = () => `${asset()}/ai-analysis`
  const type = () => ({ analysis_type: chooseAny(ANALYSIS_TYPES) })
  return [
    {
      weight: 10,
      make: () => get('assets', '/v1/assets', { limit: randomInt(1, 101), offset: randomInt(20) }),
    },
    { weight: 10, make: () => get('asset', asset()) },
    { weight: 10, make: () => get('candles', `${asset()}/ohlcv`, someWindows()) },
    {
      weight: 3,
      make: () => get('candles as CSV', `${asset()}/ohlcv`, someWindows(), { accept: 'text/csv' }),
    },
    { weight: 10, make: () => get('forex', '/v1/forex', someRates()) },
    {
      weight: 3,
      make: () => get('forex as NDJSON', '/v1/forex', someRates(), { accept: 'application/x-ndjson' }),
    },
    { weight: 5, make: () => get('latest analysis', `${analysis()}/latest`, type()) },
    {
      weight: 5,
      make: () => get('history', `${analysis()}/history`, { ...type(), limit: randomInt(1, 51) }),
    },
    { weight: 3, make: () => get('diff', `${analysis()}/history/diff`, type()) },
    { weight: 5, make: () => get('changes', '/v1/ai-analysis/changes', someChanges()) },
    { weight: 2, make: () => get('block', `${asset()}/ai`) },
    { weight: 2, make: () => get('discover', `/v1/discover/${chooseAny(tickers)}`) },
    { weight: 1, make: () => get('usage', '/v1/usage') },
    { weight: 1, make: () => get('OpenAPI', '/openapi.json') },
  ]
}

function someWindows(): Readonly<Record<string, string | number>> {
  const isHourly = randomInt(2) === 0
  const lengthMs = isHourly ? HOUR_MS : DAY_MS
  const back = randomInt(2, isHourly ? HOURS_BACK : DAYS_BACK)
  const from = new Date(Date.now() - back * lengthMs)
  const to = new Date(from.getTime() + randomInt(1, back) * lengthMs)
  const range = { from: from.toISOString(), to: to.toISOString() }
  return { timeframe: isHourly ? '1h' : '1d', ...range, limit: randomInt(1, 1001) }
}

function someRates(): Readonly<Record<string, string>> {
  const back = randomInt(1, DAYS_BACK)
  const day = (daysBack: number) => new Date(Date.now() - daysBack * DAY_MS).toISOString().slice(0, 10)
  const inverse = String(randomInt(2) === 0)
  return { quote: chooseAny(FOREX_CURRENCIES).code, from: day(back), to: day(randomInt(back)), inverse }
}

function someChanges(): Readonly<Record<string, string | number>> {
  const since = new Date(Date.now() - randomInt(90 * DAY_MS)).toISOString()
  return { since, change_type: chooseAny(CHANGE_TYPES), limit: randomInt(1, 101) }
}

const NESTED = `query Nested($limit: Int, $analyses: Int, $from: DateTime) {
  assets(asset_class: crypto, limit: $limit) {
    data {
      asset_id ticker price_consensus_usd
      ai_analysis_history(limit: $analyses) { total items { snapshot_id generated_at summary } }
      ohlcv(timeframe: D1, limit: 30, from: $from) { candles { ts vwap_usd volume_usd } }
    }
  }
}`

const FOREX = `query Rates($quote: String!, $from: Date) {
  forex(quote: $quote, from: $from) { base quote data { date rate } }
}`

function graphqlQuestions({ slugs }: Catalogue): readonly QuestionKind[] {
  return [
    {
      weight: 3,
      make: () =>
        graphql('GraphQL nested', NESTED, {
          limit: randomInt(1, 21),
          analyses: randomInt(1, 6),
          from: new Date(Date.now() - randomInt(1, DAYS_BACK) * DAY_MS).toISOString(),
        }),
    },
    { weight: 8, make: () => graphql('GraphQL forex', FOREX, pick(someRates(), ['quote', 'from'])) },
    // Each document is new, because parsed and validated documents are cached too.
    {
      weight: 8,
      make: () => graphql('GraphQL new document', newDocument(chooseAny(slugs))),
    },
  ]
}

function newDocument(slug: string): string {
  const alias = `a${randomUUID().replaceAll('-', '')}`
  return `{ ${alias}: asset(id: "${slug}") { data { asset_id name price_consensus_usd } } }`
}

function pick(of: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(of).filter(([name]) => names.includes(name)))
}
