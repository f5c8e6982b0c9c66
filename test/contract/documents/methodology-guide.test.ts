import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  MAX_SOURCE_WEIGHT,
  METHODOLOGY_VERSION,
  MIN_SOURCES,
  OUTLIER_BAND,
} from '../../../src/core/consensus/consensus.js'
import { STABLECOIN_TOLERANCE } from '../../../src/core/consensus/venue-vwap.js'
import { DERIVED_RATE_DIGITS, type Decimal } from '../../../src/core/decimal.js'
import { formatMethod, METHOD_SECTIONS } from '../../../src/core/method.js'
import { METHODOLOGY_CARDS } from '../../../src/domains/analysis/blocks/methodology.js'
import {
  AAOIFI_BOUNDS,
  LISTED_METHODOLOGY_VERSIONS,
  METHODOLOGY_PATH,
} from '../../../src/domains/analysis/model.js'
import { AVERAGE_MONTHS, MIN_MONTHS } from '../../../src/domains/filings/market-cap-model.js'
import {
  fundamentalsMethod,
  STOCK_FUNDAMENTALS_VERSION,
} from '../../../src/domains/filings/methodology-model.js'
import { ONCHAIN_METRICS_VERSION } from '../../../src/domains/onchain-metrics/model.js'
import { MAX_PRIOR_CLOSE_DAYS } from '../../../src/domains/prices/adjustment-model.js'
import { PROTOCOL_FUNDAMENTALS_VERSION } from '../../../src/domains/protocols/model.js'
import { SERVED_TABLES } from '../../../src/domains/star/tables.js'
import { GUIDES } from '../../../src/generated/page-assets/guides.js'

const GUIDE = readFileSync(
  resolve(import.meta.dirname, '../../../src/gateway/pages/guides/methodology.md'),
  'utf8',
)

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
const percent = (fraction: Decimal) => `${fraction.times(100).toString()} %`

/** The text below a heading of the guide, on one line. */
function section(id: string): string {
  const found = GUIDE.split(/^## /m).find((part) => idOf(part.split('\n')[0] ?? '') === id)
  if (found === undefined) throw new Error(`The guide has no section ${id}.`)
  return oneLine(found)
}

function idOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

describe('the guide of methods', () => {
  it('has exactly the sections that data_methodology links to', () => {
    const headings = Array.from(GUIDE.matchAll(/^## (.+)$/gm), ([, heading]) => idOf(heading ?? ''))
    expect(headings).toEqual(METHOD_SECTIONS)
    const { html } = GUIDES.find(({ name }) => name === 'methodology') ?? { html: '' }
    for (const id of METHOD_SECTIONS) expect(html).toContain(`<h2 id="${id}">`)
  })

  it('states the thresholds of consensus prices', () => {
    const [first, second, third] = [
      percent(OUTLIER_BAND[1]),
      percent(OUTLIER_BAND[2]),
      percent(OUTLIER_BAND[3]),
    ]
    const text = section('consensus-prices')
    expect(text).toContain(`version \`${METHODOLOGY_VERSION}\``)
    expect(text).toContain(`further from the median than ${first} / ${second} / ${third} (tier 1 / 2 / 3)`)
    expect(text).toContain(`holds over ${percent(MAX_SOURCE_WEIGHT)} of the remaining volume`)
    expect(text).toContain(`the rate is more than ${percent(STABLECOIN_TOLERANCE)} off par`)
    expect(text).toContain(`Fewer than ${MIN_SOURCES} exchanges left give no price`)
  })

  it('states the digits of derived rates and the oldest close before a dividend', () => {
    expect(section('exchange-rates')).toContain(
      `rounded half up to ${DERIVED_RATE_DIGITS} significant digits`,
    )
    expect(section('adjusted-prices')).toContain(
      `at most ${MAX_PRIOR_CLOSE_DAYS} days older than the ex-date`,
    )
  })

  it('states the bounds and months of fundamentals, as their summary does', () => {
    const { debt_to_market_cap, cash_to_market_cap, interest_income_to_revenue } = AAOIFI_BOUNDS
    const text = section('fundamentals-of-stocks')
    expect(text).toContain(`Version \`${STOCK_FUNDAMENTALS_VERSION}\``)
    expect([debt_to_market_cap, cash_to_market_cap]).toEqual([0.33, 0.33])
    expect(text).toContain(`to market capitalisation, each beside the bound ${debt_to_market_cap};`)
    expect(text).toContain(`interest income to revenue, beside the bound ${interest_income_to_revenue}`)
    expect(text).toContain(`For the ${AVERAGE_MONTHS} months that end with the fiscal year`)
    expect(text).toContain(`At least ${MIN_MONTHS} of the ${AVERAGE_MONTHS} months`)
    expect(fundamentalsMethod('average').summary).toContain(`of ${AVERAGE_MONTHS} months`)
  })

  it('states the versions of the methods of networks, protocols and the star schema', () => {
    expect(section('on-chain-figures')).toContain(`Version \`${ONCHAIN_METRICS_VERSION}\``)
    expect(section('fees-and-revenue-of-protocols')).toContain(`Version \`${PROTOCOL_FUNDAMENTALS_VERSION}\``)
    const ofStar = SERVED_TABLES.flatMap((table) =>
      'method' in table && table.method?.section === 'star-schema' ? [table.method.summary] : [],
    )
    const versions = ofStar.map((summary) => /\(([a-z-]+-\d+)\)\.$/.exec(summary)?.[1])
    expect(versions).toHaveLength(2)
    for (const version of versions) expect(section('star-schema')).toContain(`version \`${version}\``)
  })

  it.each(Object.values(METHODOLOGY_CARDS))('repeats the model card of $analysisType', (card) => {
    const text = section('ai-analyses')
    expect(text).toContain(`**${card.title}** (\`${card.analysisType}\`). ${card.method}`)
    expect(text).toContain(`\`GET ${METHODOLOGY_PATH}\``)
  })

  it('names the versions of the analyses of stocks', () => {
    const { halal_analysis, market_context } = LISTED_METHODOLOGY_VERSIONS
    for (const version of [halal_analysis, market_context]) expect(section('ai-analyses')).toContain(version)
  })

  it('is linked from an answer behind a short text', () => {
    const method = { summary: 'The mean of all prices.', section: 'consensus-prices' } as const
    expect(formatMethod(method, 'https://gateway.example')).toBe(
      'The mean of all prices. https://gateway.example/docs/guides/methodology#consensus-prices',
    )
  })
})
