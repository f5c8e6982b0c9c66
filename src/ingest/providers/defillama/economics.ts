import { PROVIDERS } from '../../../core/providers.js'
import { MEASURES, type Measure, type ProtocolFact } from '../../../domains/protocols/model.js'
import { readAll, readOn } from '../../bodies/read.js'
import type { StreamFeed } from '../../feed.js'
import { byCron } from '../../schedule.js'
import { type FiguresOf, figureIn, protocolFacts } from './entries.js'

const JITTER_MS = 300_000

const OF_MEASURE = {
  fees: { dataType: 'dailyFees', what: 'What users of every protocol paid', cron: '40 1 * * *' },
  revenue: { dataType: 'dailyRevenue', what: 'What every protocol kept of its fees', cron: '50 1 * * *' },
} as const satisfies Record<Measure, object>

function economicsFeed(measure: Measure): StreamFeed<ProtocolFact> {
  const { dataType, what, cron } = OF_MEASURE[measure]
  const query = `excludeTotalDataChart=true&excludeTotalDataChartBreakdown=true&dataType=${dataType}`
  return {
    id: `defillama-${measure}`,
    provider: PROVIDERS.defiLlama,
    dataset: 'protocols',
    part: measure,
    description: `${what} in 24 hours, 7 and 30 days; makes the fundamentals of crypto assets`,
    cadence: 'every day',
    schedule: byCron(cron, JITTER_MS),
    fileNames: [`the answer of /overview/fees with dataType=${dataType}`],
    request: () => ({
      url: `https://api.llama.fi/overview/fees?${query}`,
      headers: { accept: 'application/json' },
    }),
    parseStream: (body, context) =>
      protocolFacts(body, { member: 'protocols', figuresOf: totalsOf(measure) }, context),
  }
}

/** The bodies of fees and of revenue do not say which of the two they have. */
export const defiLlamaEconomics: readonly StreamFeed<ProtocolFact>[] = MEASURES.map(economicsFeed)

/** Revenue is negative if a protocol pays its users more than it earns. */
function totalsOf(measure: Measure): FiguresOf {
  return (entry) => {
    const isPositive = measure === 'fees'
    const read = readAll({
      total24hUsd: figureIn(entry, 'total24h', { isPositive }),
      total7dUsd: figureIn(entry, 'total7d', { isPositive }),
      total30dUsd: figureIn(entry, 'total30d', { isPositive }),
    })
    return readOn(read, (totals) => {
      const isEmpty = Object.values(totals).every((total) => total === null)
      return { value: isEmpty ? null : { tvl: null, economics: { measure, ...totals } } }
    })
  }
}
