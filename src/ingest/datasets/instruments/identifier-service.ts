import {
  IDENTIFIER_BUDGET_MS,
  type IdentifierService,
  IdentifierServiceDown,
} from '../../../domains/instruments/discovery/identifier-service-model.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import type { HttpResponse } from '../../../platform/http-client/read-response.js'
import { isUnsent, UpstreamError } from '../../../platform/http-client/upstream-error.js'
import { BrokenBody } from '../../feed.js'
import {
  lookUpRate,
  type MappingRequest,
  mappingUrl,
  type OpenFigiAccount,
} from '../../providers/openfigi/mapping-request.js'
import { resolveTicker } from '../../providers/openfigi/resolve-ticker.js'
import { openFigi } from '../../providers/providers.js'

/** The longest known answer, to a ticker with two spellings, has about 100 KB. */
const MAX_ANSWER_BYTES = 2_000_000

/** A refused connection or a 5xx often passes at once; the time limit covers both attempts. */
const RETRIES = 1

export interface IdentifierServiceOptions {
  readonly http: HttpClient
  readonly account: OpenFigiAccount
  /** Time for the whole request, retries included. */
  readonly budgetMs?: number
}

/** The identifier service from OpenFIGI; see `IdentifierService` for its promises. */
export function createIdentifierService(options: IdentifierServiceOptions): IdentifierService {
  return {
    source: openFigi.id,
    resolve: async (ticker) => {
      try {
        const { account } = options
        const response = await ask(options, resolveTicker.request(ticker, account.apiKey))
        return resolveTicker.parse(response.body, ticker)
      } catch (error) {
        throw asDown(error)
      }
    },
  }
}

async function ask(
  { http, account, budgetMs = IDENTIFIER_BUDGET_MS }: IdentifierServiceOptions,
  mapping: MappingRequest,
): Promise<HttpResponse> {
  const { method, headers, body } = mapping
  const rate = lookUpRate(account)
  const response = await http.request({
    ...{ method, headers, body },
    url: mappingUrl(account, mapping),
    timeoutMs: budgetMs,
    maxBytes: MAX_ANSWER_BYTES,
    retries: RETRIES,
    ...(rate === null ? {} : { rate }),
  })
  // A wrong key (401) or a changed interface (400, 404) says nothing about the ticker.
  if (response.status !== 200) throw new BrokenBody(`the status is ${response.status}`)
  return response
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
    const message = `${openFigi.name} sent no usable answer: ${error.message}`
    return new IdentifierServiceDown(message, { retryAfterMs: null, wasAsked: true, cause: error })
  }
  return error
}
