import {
  IDENTIFIER_BUDGET_MS,
  type IdentifierService,
  IdentifierServiceDown,
} from '../../../domains/instruments/model.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import type { HttpResponse } from '../../../platform/http-client/read-response.js'
import { isOpenCircuit, UpstreamError } from '../../../platform/http-client/upstream-error.js'
import { BrokenBody } from '../../feed.js'
import { openFigi } from '../../providers/openfigi/provider.js'
import { type ProviderRequest, resolveTicker } from '../../providers/openfigi/resolve-ticker.js'

/** The longest answer known, to a ticker with two spellings, has about 100 KB. */
const MAX_ANSWER_BYTES = 2_000_000

/** A refused connection or a 5xx is often over at once; the budget holds for both attempts together. */
const RETRIES = 1

export interface IdentifierServiceOptions {
  readonly http: HttpClient
  /** Where OpenFIGI is, e.g. https://api.openfigi.com. */
  readonly url: string
  /** Raises the provider's rate limit; null asks without. */
  readonly apiKey: string | null
  /** Time for the whole question, retries included. */
  readonly budgetMs?: number
}

/** The identifier service over OpenFIGI; see `IdentifierService` for what it promises. */
export function createIdentifierService(options: IdentifierServiceOptions): IdentifierService {
  return {
    source: openFigi.id,
    resolve: async (ticker) => {
      try {
        const response = await ask(options, resolveTicker.request(ticker, options.apiKey))
        return resolveTicker.parse(response.body, ticker)
      } catch (error) {
        throw asDown(error)
      }
    },
  }
}

async function ask(options: IdentifierServiceOptions, asked: ProviderRequest): Promise<HttpResponse> {
  const { path, ...request } = asked
  const response = await options.http.request({
    ...request,
    url: options.url.replace(/\/+$/, '') + path,
    timeoutMs: options.budgetMs ?? IDENTIFIER_BUDGET_MS,
    maxBytes: MAX_ANSWER_BYTES,
    retries: RETRIES,
  })
  // A wrong key (401) or a change of the interface (400, 404) says nothing about the ticker.
  if (response.status !== 200) throw new BrokenBody(`the status is ${response.status}`)
  return response
}

/** Failures of the provider in the domain's words; anything else is a mistake of ours and stays as it is. */
function asDown(error: unknown): unknown {
  if (error instanceof UpstreamError) {
    return new IdentifierServiceDown(error.message, {
      retryAfterMs: error.retryAfterMs,
      wasAsked: !isOpenCircuit(error),
      cause: error,
    })
  }
  if (error instanceof BrokenBody) {
    const message = `${openFigi.name} sent no usable answer: ${error.message}`
    return new IdentifierServiceDown(message, { retryAfterMs: null, wasAsked: true, cause: error })
  }
  return error
}
