import type { AssetTier } from '../../../core/consensus/consensus.js'
import { ANALYSIS_TYPES } from '../../../domains/analysis/model.js'
import { type Job, type JobContext, NO_ROWS } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { loadListedAssets } from './facts/load-listed.js'
import { rulesGenerator } from './rules/rules.js'
import { runAnalysis } from './run-analysis.js'
import type { LlmEndpoint } from './words/llm.js'

const JITTER_MS = 60_000

/** As often as analyses of the tier are due: each 1, 6 and 12 hours, ten minutes after candles of the hour can be there. */
const TIMES: Readonly<Record<AssetTier, { readonly pattern: string; readonly text: string }>> = {
  1: { pattern: '10 * * * *', text: 'every hour' },
  2: { pattern: '12 */6 * * *', text: 'every 6 hours' },
  3: { pattern: '14 */12 * * *', text: 'every 12 hours' },
}

/** The endpoint that words analyses. */
export interface Wording {
  readonly endpoint: LlmEndpoint
  /** Requests to it at most in one run of one tier. */
  readonly callsPerRun: number
}

/** Analyses the assets of a tier by the rules, with the stocks and funds in the third; with an endpoint it words them, as far as its budget goes. */
export function analysisJob(tier: AssetTier, wording: Wording | null = null): Job {
  const { pattern, text } = TIMES[tier]
  return {
    name: `analysis-tier-${tier}`,
    dataset: 'analysis',
    cadence: `${text}, after candles`,
    schedule: byCron(pattern, JITTER_MS),
    feeds: ['analysis'],
    follows: 'candles',
    run: async (context) => {
      const { crypto, listed } = await loadListedAssets(context.database)
      const slugs = [...crypto, ...listed]
        .filter((asset) => (asset.tier ?? 3) === tier)
        .map(({ slug }) => slug)
      if (slugs.length === 0) {
        return { counts: NO_ROWS, note: `there is no asset of tier ${tier}`, unfinished: null }
      }
      const worded = wording === null ? null : await wordedBy(wording, context)
      const deps = { ...context, generator: worded ?? rulesGenerator }
      const { added, unchanged, dropped, failed, absent } = await runAnalysis(deps, {
        slugs,
        types: ANALYSIS_TYPES,
        isForced: false,
      })
      const counts = { added, revised: 0, unchanged, rejected: dropped + failed, absent }
      return { counts, note: worded?.note() ?? null, unfinished: null }
    },
  }
}

async function wordedBy({ endpoint, callsPerRun }: Wording, { http, log, signal }: JobContext) {
  // Loaded only where it is used: the SDK costs more time than all the rules.
  const { wordedWithin } = await import('./words/worded-within.js')
  return wordedWithin({ endpoint, maxCalls: callsPerRun, http, log, signal })
}
