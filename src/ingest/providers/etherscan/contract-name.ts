import { z } from 'zod'
import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { type AddressKey, parseContractName } from '../../../domains/onchain/model.js'
import { BrokenBody, type FeedRequest, jsonOfBody, quoted } from '../../feed.js'

/**
 * The free plan allows 3 requests a second and 100,000 a day for all keys of an account (https://docs.etherscan.io/rate-limits).
 * This is at most 3 in any second and 96,000 in a day.
 */
const RATE: RequestRate = { provider: PROVIDERS.etherscan.id, pauseMs: 900, burst: 1 }

const Answer = z.object({ status: z.string(), result: z.unknown() })
const Sources = z.tuple([z.object({ ContractName: z.string() })])

/** The name under which the source code of a contract was verified: Etherscan API V2, `getsourcecode`. */
export const etherscanName = {
  request: ({ chainId, address }: AddressKey, apiKey: string): FeedRequest => ({
    url: `https://api.etherscan.io/v2/api?chainid=${chainId}&module=contract&action=getsourcecode&address=${address}&apikey=${encodeURIComponent(apiKey)}`,
    headers: { accept: 'application/json' },
    rate: RATE,
  }),

  /** Null if it is not verified there. Throws BrokenBody for errors, which have status 200, and for other text. */
  parse(body: Uint8Array, status: number): string | null {
    const answer = Answer.safeParse(jsonOfBody(body, status))
    if (status !== 200 || !answer.success)
      throw new BrokenBody(`the body is not an answer (status ${status})`)
    const { status: outcome, result } = answer.data
    if (outcome !== '1') throw new BrokenBody(`it answered with an error: ${quoted(String(result))}`)
    const sources = Sources.safeParse(result)
    if (!sources.success) throw new BrokenBody('the result is not a source code')
    const [{ ContractName: name }] = sources.data
    return parseContractName(name)
  },
} as const
