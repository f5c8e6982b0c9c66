import { sha256Hex } from '../core/canonical-json.js'
import type { SupplyRow } from '../domains/market/model.js'
import { type HttpClient, UpstreamError } from '../platform/http-client/http-client.js'
import { BrokenBody, type Parsed } from './feed.js'
import { errorText } from './ledger.js'
import { batchBody, parseBatch, type RpcAnswer, type RpcCall } from './providers/evm/json-rpc.js'
import {
  type ChainHead,
  type CountedToken,
  HEAD_CALLS,
  parseHead,
  parseSupplies,
  supplyCalls,
} from './providers/evm/total-supply.js'

const TIMEOUT_MS = 15_000
const RETRIES = 1

/** A batch of calls answers with some kilobytes. */
const MAX_BYTES = 1024 * 1024

/** Two calls a token; nodes open to all refuse larger batches. */
const TOKENS_PER_BATCH = 10

/** What a chain said of its tokens. */
export interface ChainHarvest {
  /** A supply or a rejection per token; a rejection per address that failed. */
  readonly items: readonly Parsed<SupplyRow>[]
  /** No address answered usably. */
  readonly isOut: boolean
  /** Hash and size of each body. */
  readonly bodies: readonly { readonly sha256: string; readonly bytes: number }[]
}

export interface ChainQuestion {
  readonly chainId: number
  readonly tokens: readonly CountedToken[]
  /** In the order in which they are tried. */
  readonly urls: readonly string[]
  readonly now: Date
}

/** Asks one chain for the supplies of its tokens, at one block, at the first address that answers to all of it. */
export async function askChain(http: HttpClient, question: ChainQuestion): Promise<ChainHarvest> {
  const failures: Parsed<SupplyRow>[] = []
  const bodies: { readonly sha256: string; readonly bytes: number }[] = []
  const ask = async (url: string, calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]> => {
    const response = await http.request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: batchBody(calls),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      retries: RETRIES,
    })
    bodies.push({ sha256: sha256Hex(response.body), bytes: response.body.length })
    return parseBatch(response.body, response.status, calls.length)
  }
  for (const [at, url] of question.urls.entries()) {
    try {
      return {
        items: [...failures, ...(await askNode(question, (calls) => ask(url, calls)))],
        isOut: false,
        bodies,
      }
    } catch (error) {
      if (!(error instanceof BrokenBody) && !(error instanceof UpstreamError)) throw error
      // By its place: the address may hold the key of a node, in any part of it.
      failures.push({
        kind: 'rejected',
        position: `chain ${question.chainId}, address ${at + 1} of ${question.urls.length}`,
        reason: withoutAddress(errorText(error), url),
      })
    }
  }
  return { items: failures, isOut: true, bodies }
}

function withoutAddress(text: string, url: string): string {
  return text.replace(/https?:\/\/\S+/g, new URL(url).host)
}

async function askNode(
  { chainId, tokens, now }: ChainQuestion,
  ask: (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>,
): Promise<readonly Parsed<SupplyRow>[]> {
  const head: ChainHead = parseHead(await ask(HEAD_CALLS), chainId, now)
  const items: Parsed<SupplyRow>[] = []
  for (let start = 0; start < tokens.length; start += TOKENS_PER_BATCH) {
    const batch = tokens.slice(start, start + TOKENS_PER_BATCH)
    items.push(...parseSupplies(await ask(supplyCalls(batch, head)), batch, head))
  }
  return items
}
