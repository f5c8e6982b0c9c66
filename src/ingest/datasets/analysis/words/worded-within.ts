import type { HttpClient } from '../../../../platform/http-client/http-client.js'
import type { Logger } from '../../../../platform/logger.js'
import { errorText } from '../../../run/ledger.js'
import { type AnalysisGenerator, DroppedAnalysis } from '../generator.js'
import { rulesGenerator } from '../rules/rules.js'
import { createLlmGenerator, type LlmEndpoint } from './llm.js'

export interface WordingDeps {
  readonly endpoint: LlmEndpoint
  /** The most requests to the endpoint, retries included. */
  readonly maxCalls: number
  readonly http: HttpClient
  readonly log: Pick<Logger, 'warn'>
  readonly signal: AbortSignal
}

export interface WordedGenerator extends AnalysisGenerator {
  /** How the budget was used, for operators. */
  note(): string
}

/**
 * A generator for one run whose texts a language model writes as far as a budget of calls goes. The rules write the
 * other texts: after the budget is used, if the model gives no usable answer, and after the endpoint stopped
 * answering. So every due analysis is made, whatever the endpoint does.
 */
export function wordedWithin({ endpoint, maxCalls, http, log, signal }: WordingDeps): WordedGenerator {
  let calls = 0
  let worded = 0
  let byRules = 0
  let out: string | null = null
  const counted: HttpClient = {
    request: (request) => {
      if (calls >= maxCalls) throw new DroppedAnalysis(`the budget of ${maxCalls} calls is used`)
      calls += 1
      // A transport retry would be a call that is not counted.
      return http.request({ ...request, retries: 0 })
    },
  }
  const model = createLlmGenerator({ endpoint, http: counted, log })
  const isSpent = () => out !== null || calls >= maxCalls
  return {
    modelId: model.modelId,
    concurrency: model.concurrency,
    promptVersionOf: (type, isListed) => (isSpent() ? null : model.promptVersionOf(type, isListed)),
    keepsWording: isSpent,
    generate: async (input) => {
      if (!isSpent()) {
        try {
          const analysis = await model.generate(input)
          worded += 1
          return analysis
        } catch (error) {
          signal.throwIfAborted()
          const reason = errorText(error)
          log.warn(
            { asset: input.asset.slug, analysisType: input.analysisType, reason },
            'worded by the rules',
          )
          if (!(error instanceof DroppedAnalysis) && calls < maxCalls) out = reason
        }
      }
      byRules += 1
      return rulesGenerator.generate(input)
    },
    note: () => {
      const left = out === null ? '' : `; the endpoint stopped answering: ${out}`
      return `${worded} worded by ${model.modelId} in ${calls} of ${maxCalls} calls, ${byRules} by the rules${left}`
    },
  }
}
