import { z } from 'zod'
import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { type AddressKey, parseContractName } from '../../../domains/onchain/model.js'
import { BrokenBody, type FeedRequest, jsonOfBody } from '../../feed.js'

/**
 * Sourcify publishes no limit. Two requests a second are what its server allows an address where its limiter is on
 * (services/server/src/config of its source code). A list of 20 addresses may be looked up at once.
 */
const RATE: RequestRate = { provider: PROVIDERS.sourcify.id, pauseMs: 500, burst: 19 }

const Contract = z.object({ compilation: z.object({ name: z.string() }).nullish() })
const Unknown = z.object({ match: z.null().optional() })

/** The name under which the source code of a contract was verified: Sourcify API v2. */
export const sourcifyName = {
  request: ({ chainId, address }: AddressKey): FeedRequest => ({
    url: `https://sourcify.dev/server/v2/contract/${chainId}/${address}?fields=compilation`,
    headers: { accept: 'application/json' },
    rate: RATE,
  }),

  /** Null if it is not verified there. Throws BrokenBody for other text. */
  parse(body: Uint8Array, status: number): string | null {
    const json = jsonOfBody(body, status)
    if (status === 404 && Unknown.safeParse(json).success) return null
    const contract = Contract.safeParse(json)
    if (status !== 200 || !contract.success)
      throw new BrokenBody(`no contract in the body (status ${status})`)
    const name = contract.data.compilation?.name ?? ''
    return parseContractName(name)
  },
} as const
