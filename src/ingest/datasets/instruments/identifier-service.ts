import { PROVIDERS } from '../../../core/providers.js'
import {
  IDENTIFIER_BUDGET_MS,
  type IdentifierService,
  IdentifierServiceDown,
} from '../../../domains/instruments/discovery/identifier-service-model.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import { isUnsent, UpstreamError } from '../../../platform/http-client/upstream-error.js'
import { BrokenBody } from '../../feed.js'
import { lookUpRate } from '../../providers/openfigi/mapping-request.js'
import { resolveTicker } from '../../providers/openfigi/resolve-ticker.js'

/** The longest known answer, to a ticker with two spellings, has about 100 KB. */
const MAX_ANSWER_BYTES = 2_000_000

/** A refused connection or a 5xx often passes at once; the time limit covers both attempts. */
const RETRIES = 1

export interface IdentifierServiceOptions {
  readonly http: HttpClient
  /** The operator's key; null: requests have no key, and the provider allows fewer of them. */
  readonly apiKey: string | null
  /** Whether the limits of the provider count. The operator's mirror admits as many requests as it wants. */
  readonly isLimited: boolean
  /** Time for the whole request, retries included. */
  readonly budgetMs?: number
}

/** The identifier service from OpenFIGI; see `IdentifierService` for its promises. */
export function createIdentifierService({
  http,
  apiKey,
  isLimited,
  budgetMs = IDENTIFIER_BUDGET_MS,
}: IdentifierServiceOptions): IdentifierService {
  const limits = { timeoutMs: budgetMs, maxBytes: MAX_ANSWER_BYTES, retries: RETRIES }
  const rate = isLimited ? { rate: lookUpRate(apiKey) } : {}
  return {
    source: PROVIDERS.openFigi.id,
    resolve: async (ticker) => {
      const { url, headers, body } = resolveTicker.request(ticker, apiKey)
      try {
        const answer = await http.request({ url, method: 'POST', headers, body, ...limits, ...rate })
        // A wrong key (401) or a changed interface (400, 404) says nothing about the ticker.
        if (answer.status !== 200) throw new BrokenBody(`the status is ${answer.status}`)
        return resolveTicker.parse(answer.body, ticker)
      } catch (error) {
        throw asDown(error)
      }
    },
  }
}

/**
 * Translates failures of the provider into the domain's errors. Other errors are defects of the gateway and stay.
 */
function asDown(error: unknown): unknown {
  if (error instanceof UpstreamError) {
    return new IdentifierServiceDown(error.message, {
      retryAfterMs: error.retryAfterMs,
      wasAsked: !isUnsent(error),
      cause: error,
    })
  }
  if (error instanceof BrokenBody) {
    const message = `${PROVIDERS.openFigi.name} sent no usable answer: ${error.message}`
    return new IdentifierServiceDown(message, { retryAfterMs: null, wasAsked: true, cause: error })
  }
  return error
}
