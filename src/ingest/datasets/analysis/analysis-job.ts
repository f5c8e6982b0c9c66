import type { AssetTier } from '../../../core/consensus/consensus.js'
import { ANALYSIS_TYPES } from '../../../domains/analysis/model.js'
import { type Job, type JobContext, NO_ROWS } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { loadListedAssets } from './facts/load-listed.js'
import { rulesGenerator } from './rules/rules.js'
import { runAnalysis } from './run-analysis.js'
import type { LlmEndpoint } from './words/llm.js'

const JITTER_MS = 60_000

/** Each tier runs as often as its analyses are due, at least ten minutes after the candles of the hour. */
const TIMES: Readonly<Record<AssetTier, { readonly pattern: string; readonly text: string }>> = {
  1: { pattern: '10 * * * *', text: 'every hour' },
  2: { pattern: '12 */6 * * *', text: 'every 6 hours' },
  3: { pattern: '14 */12 * * *', text: 'every 12 hours' },
}

/** The language model that writes the texts of analyses. */
export interface Wording {
  readonly endpoint: LlmEndpoint
  /** The most requests to it in one run of one tier. */
  readonly callsPerRun: number
}

/**
 * Analyses the assets of a tier by the rules; tier 3 includes the stocks and funds. With a language model, it
 * writes the texts as far as its budget goes.
 */
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
      const { crypto, listed } = await loadListedAssets(context.database.prisma)
      const slugs = [...crypto, ...listed]
        .filter((asset) => (asset.tier ?? 3) === tier)
        .map(({ slug }) => slug)
      if (slugs.length === 0) {
        return { counts: NO_ROWS, note: `tier ${tier} has no assets`, unfinished: null }
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
  // Imported only when used, because loading the SDK takes more time than all the rules.
  const { wordedWithin } = await import('./words/worded-within.js')
  return wordedWithin({ endpoint, maxCalls: callsPerRun, http, log, signal })
}
