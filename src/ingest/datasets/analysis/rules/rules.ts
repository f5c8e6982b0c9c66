import {
  type AnalysisType,
  LISTED_METHODOLOGY_VERSIONS,
  METHODOLOGY_VERSIONS,
  RULES_MODEL,
} from '../../../../domains/analysis/model.js'
import type { AnalysisGenerator, AnalysisInput, GeneratedAnalysis } from '../generator.js'
import type { Findings } from './findings.js'
import { halalFindings } from './halal.js'
import { listedFindings } from './listed.js'
import { marketContextFindings } from './market-context.js'
import { regimeFindings } from './regime.js'

/** The most sentences of a summary. */
const SENTENCES = 3

/**
 * The rules by edition. Edition 0 stays so that its published analyses can be computed again: it annualised
 * volatility with the 252 trading days of stock markets, and had neither breadth nor a validation date.
 */
export type MethodEdition = 0 | 1

export const NEWEST_METHOD: MethodEdition = 1

/** rules-0 wrote one sentence. */
export type RulesModel = 'rules-0' | typeof RULES_MODEL

const FIRST_VERSIONS: Readonly<Record<AnalysisType, string>> = {
  halal_analysis: 'halal-0',
  market_context: 'market-context-0',
  regime: 'regime-0',
}

/** The version in a snapshot of an edition. */
export function methodologyVersionOf(
  { analysisType, listed }: AnalysisInput,
  edition: MethodEdition,
): string {
  if (listed !== undefined) return LISTED_METHODOLOGY_VERSIONS[analysisType]
  return (edition === 0 ? FIRST_VERSIONS : METHODOLOGY_VERSIONS)[analysisType]
}

/** The figures and sentences of one kind of analysis; a pure function of the input. */
export function computeFindings(input: AnalysisInput, edition: MethodEdition): Findings {
  if (input.listed !== undefined) return listedFindings(input, input.listed)
  const isFirst = edition === 0
  switch (input.analysisType) {
    case 'regime':
      return regimeFindings(input, { daysPerYear: isFirst ? 252 : 365 })
    case 'market_context':
      return marketContextFindings(input, { hasBreadth: !isFirst })
    case 'halal_analysis':
      return halalFindings(input, { hasValidation: !isFirst })
  }
}

/** The analysis by the rules alone: the same input gives the same text and figures, byte for byte. */
export function analyseByRules(
  input: AnalysisInput,
  modelId: RulesModel = RULES_MODEL,
  edition: MethodEdition = NEWEST_METHOD,
): GeneratedAnalysis {
  const { signals, sentimentScore, sentences, aaoifi, window } = computeFindings(input, edition)
  return {
    content: {
      summary: sentences.slice(0, modelId === 'rules-0' ? 1 : SENTENCES).join(' '),
      sentiment_score: sentimentScore,
      signals,
      ...(aaoifi === undefined ? {} : { aaoifi }),
    },
    modelId,
    methodologyVersion: methodologyVersionOf(input, edition),
    promptVersion: null,
    promptHash: null,
    inputTokens: null,
    outputTokens: null,
    dataWindowFrom: window?.from ?? null,
    dataWindowTo: window?.to ?? null,
    dataLineage: input.lineage,
  }
}

/** The default generator. It needs no key and no network. */
export const rulesGenerator: AnalysisGenerator = {
  modelId: RULES_MODEL,
  promptVersionOf: () => null,
  concurrency: 1,
  generate: (input) => Promise.resolve(analyseByRules(input)),
}
