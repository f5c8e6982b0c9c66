import type { SupplyRow } from '../../domains/market/model.js'
import type { HttpClient } from '../../platform/http-client/http-client.js'
import type { Parsed } from '../feed.js'
import type { CountedToken } from '../providers/evm/total-supply.js'
import { atFirstNode, type NodesAnswer } from './ask-nodes.js'
import type { NodeClient } from './node-client.js'

const TIMEOUT_MS = 15_000
const RETRIES = 1

/** A batch of calls returns a few kilobytes. */
const MAX_BYTES = 1024 * 1024

/** Two calls per token; public nodes refuse larger batches. */
const TOKENS_PER_BATCH = 10

/** The supplies of the tokens of a chain. */
export interface ChainHarvest extends Pick<NodesAnswer<unknown>, 'bodies'> {
  /** A supply or a rejection for each token, and a rejection for each node that failed. */
  readonly items: readonly Parsed<SupplyRow>[]
  /** Whether no node gave a usable answer. */
  readonly isOut: boolean
}

export interface ChainQuestion {
  readonly chainId: number
  readonly tokens: readonly CountedToken[]
  /** Nodes are tried in this order. */
  readonly urls: readonly string[]
  readonly now: Date
}

/** Reads the supplies of the tokens of one chain, at one block, from the first node that answers everything. */
export async function askChain(http: HttpClient, question: ChainQuestion): Promise<ChainHarvest> {
  const limits = { timeoutMs: () => TIMEOUT_MS, retries: RETRIES, maxBytes: MAX_BYTES }
  const { answer, failures, bodies } = await atFirstNode(http, { ...question, ...limits }, (node) =>
    askNode(question, node),
  )
  const refusals = failures.map((failure): Parsed<SupplyRow> => ({ kind: 'rejected', ...failure }))
  return { items: [...refusals, ...(answer ?? [])], isOut: answer === null, bodies }
}

async function askNode(
  { tokens, now }: ChainQuestion,
  node: NodeClient,
): Promise<readonly Parsed<SupplyRow>[]> {
  const head = await node.head(now)
  const items: Parsed<SupplyRow>[] = []
  for (let start = 0; start < tokens.length; start += TOKENS_PER_BATCH) {
    const batch = tokens.slice(start, start + TOKENS_PER_BATCH)
    items.push(...(await Promise.all(batch.map((token) => node.supply(token, head)))))
  }
  return items
}
