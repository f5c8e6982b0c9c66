import { PROVIDERS } from '../../core/providers.js'
import type { AddressKey, ContractName } from '../../domains/onchain/model.js'
import type { HttpClient } from '../../platform/http-client/http-client.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import type { Logger } from '../../platform/logger.js'
import { BrokenBody, type FeedRequest } from '../feed.js'
import { etherscanName } from '../providers/etherscan/contract-name.js'
import { sourcifyName } from '../providers/sourcify/contract-name.js'
import { errorText } from '../run/ledger.js'

/** Parallel requests, so that a list of contracts does not become a burst. */
const AT_ONCE = 4

/** Etherscan sends the source code too. The largest have megabytes; their names are skipped. */
const MAX_BYTES = 4 * 1024 * 1024

export interface NamesDependencies {
  readonly http: HttpClient
  readonly log: Pick<Logger, 'warn'>
  /** If null, Etherscan gets no requests. */
  readonly etherscanKey: string | null
}

interface NameService {
  readonly source: string
  request(contract: AddressKey): FeedRequest
  parse(body: Uint8Array, status: number): string | null
}

/**
 * Gets the names of contracts by address: from Sourcify, or else from Etherscan if a key is configured. A contract
 * is missing from the map if neither answered in time. `leftMs` is the time for all of them.
 */
export async function askContractNames(
  deps: NamesDependencies,
  contracts: readonly AddressKey[],
  leftMs: () => number,
): Promise<ReadonlyMap<string, ContractName>> {
  const names = new Map<string, ContractName>()
  const queue = [...contracts]
  const work = async () => {
    for (let contract = queue.shift(); contract !== undefined; contract = queue.shift()) {
      const name = await askName(deps, contract, leftMs)
      if (name !== null) names.set(contract.address, name)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return names
}

/** The first name that a service knows. It is "not published" only if no service failed. */
async function askName(
  deps: NamesDependencies,
  contract: AddressKey,
  leftMs: () => number,
): Promise<ContractName | null> {
  let none: ContractName | null = null
  let hasFailed = false
  for (const service of servicesOf(deps)) {
    const answer = await askService(deps, service, contract, leftMs)
    if (answer === null) hasFailed = true
    else if (answer.name !== null) return answer
    else none ??= answer
  }
  return hasFailed ? null : none
}

function servicesOf({ etherscanKey: key }: NamesDependencies): readonly NameService[] {
  const open = { source: PROVIDERS.sourcify.id, ...sourcifyName }
  if (key === null) return [open]
  const request = (contract: AddressKey) => etherscanName.request(contract, key)
  return [open, { source: PROVIDERS.etherscan.id, request, parse: etherscanName.parse }]
}

/** Null without a usable answer in time. */
async function askService(
  { http, log }: NamesDependencies,
  { source, request, parse }: NameService,
  contract: AddressKey,
  leftMs: () => number,
): Promise<ContractName | null> {
  const timeoutMs = leftMs()
  if (timeoutMs <= 0) return null
  try {
    const limits = { timeoutMs, maxBytes: MAX_BYTES, retries: 0, refusesRedirects: true }
    const { rate, ...of } = request(contract)
    // Half of the time remains for the answer.
    const patience = rate && { rate: { ...rate, maxWaitMs: timeoutMs / 2 } }
    const { body, status } = await http.request({ ...of, ...limits, ...patience })
    return { name: parse(body, status), source }
  } catch (error) {
    if (!(error instanceof BrokenBody) && !(error instanceof UpstreamError)) throw error
    log.warn(
      { source, chainId: contract.chainId, reason: errorText(error) },
      'the name of a contract could not be looked up',
    )
    return null
  }
}
