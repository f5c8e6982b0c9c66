import { type ApiQuery, restGet } from '../client/use-query.js'
import type { Line } from '../parts/charts/chart.js'
import { daysAgo } from '../parts/days-ago.js'
import { FRESHNESS, type FreshnessMeta } from '../parts/freshness.js'
import { toIndex } from '../parts/to-index.js'

const CROSS_RATES = `query CrossRates($base: String!, $quotes: [String!]!, $from: Date!) {
  forex_cross(base: $base, quote: $quotes, from: $from) {
    data {
      currencies { currency ended_on }
      rates { date quote rate }
    }
    ${FRESHNESS}
  }
}`

export interface QuotedRate {
  readonly date: string
  readonly quote: string
  readonly rate: number
}

export interface CrossRatesAnswer {
  readonly forex_cross: {
    readonly data: {
      readonly currencies: readonly { readonly currency: string; readonly ended_on: string | null }[]
      readonly rates: readonly QuotedRate[]
    }
    readonly _meta: FreshnessMeta
  }
}

/** The query of the rates of some currencies against one, over the last days; null for all that is stored. */
export function crossRatesQuery(base: string, quotes: readonly string[], days: number | null): ApiQuery {
  const from = days === null ? '1999-01-01' : daysAgo(days)
  return {
    document: CROSS_RATES,
    variables: { base, quotes, from },
    rest: [restGet('/v1/forex/cross', { base, quote: quotes.join(','), from })],
  }
}

export interface RateLines {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
}

/** One line per currency on the days of all of them. `isIndexed` sets the first rate of each line to 100. */
export function toRateLines(
  rates: readonly QuotedRate[],
  quotes: readonly string[],
  labelOf: (quote: string) => string,
  isIndexed: boolean,
): RateLines {
  const dates = [...new Set(rates.map(({ date }) => date))].sort()
  const byQuote = new Map(quotes.map((quote) => [quote, new Map<string, number>()]))
  for (const { quote, date, rate } of rates) byQuote.get(quote)?.set(date, rate)
  const lines = quotes.map((quote) => {
    const values = dates.map((date) => byQuote.get(quote)?.get(date) ?? null)
    const first = values.find((value) => value !== null) ?? 1
    return {
      label: labelOf(quote),
      values: isIndexed ? values.map((value) => value && toIndex(value, first)) : values,
    }
  })
  return { times: dates.map((date) => Date.parse(date) / 1000), lines }
}
