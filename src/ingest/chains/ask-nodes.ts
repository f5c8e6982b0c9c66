import { sha256Hex } from '../../core/canonical-json.js'
import type { HttpClient } from '../../platform/http-client/http-client.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { BrokenBody } from '../feed.js'
import { errorText, type Rejection } from '../ledger.js'
import { batchBody, parseBatch, type RpcAnswer, type RpcCall } from '../providers/evm/json-rpc.js'
import { type NodeClient, openNodeClient } from './node-client.js'

export interface NodesQuestion {
  readonly chainId: number
  /** In the order in which they are tried. */
  readonly urls: readonly string[]
  /** Time for a batch, retries included; asked before each, so that it can shrink. Zero or less: no time is left. */
  readonly timeoutMs: () => number
  readonly retries: number
  /** A longer body of a batch is refused. */
  readonly maxBytes: number
}

export interface NodesAnswer<Answer> {
  /** Null: no address answered usably. */
  readonly answer: Answer | null
  /** A line per address that failed; by its place, since the address may hold the key of a node in any part of it. */
  readonly failures: readonly Rejection[]
  /** Hash and size of each body. */
  readonly bodies: readonly { readonly sha256: string; readonly bytes: number }[]
}

/** Does the work at the first node of a chain that answers to all of it. A redirect is no answer. */
export async function atFirstNode<Answer>(
  http: HttpClient,
  question: NodesQuestion,
  work: (node: NodeClient) => Promise<Answer>,
): Promise<NodesAnswer<Answer>> {
  const { chainId, urls } = question
  const failures: Rejection[] = []
  const bodies: { readonly sha256: string; readonly bytes: number }[] = []
  for (const [at, url] of urls.entries()) {
    try {
      const node = await openNodeClient(chainId, (calls) => askBatch(http, question, url, calls, bodies))
      return { answer: await work(node), failures, bodies }
    } catch (error) {
      if (!(error instanceof BrokenBody) && !(error instanceof UpstreamError)) throw error
      failures.push({
        position: `chain ${chainId}, address ${at + 1} of ${urls.length}`,
        reason: withoutAddress(errorText(error), url),
      })
    }
  }
  return { answer: null, failures, bodies }
}

async function askBatch(
  http: HttpClient,
  { timeoutMs, retries, maxBytes }: NodesQuestion,
  url: string,
  calls: readonly RpcCall[],
  bodies: { readonly sha256: string; readonly bytes: number }[],
): Promise<readonly RpcAnswer[]> {
  const leftMs = timeoutMs()
  if (leftMs <= 0) throw new BrokenBody('no time was left to ask')
  const response = await http.request({
    ...{ url, method: 'POST', body: batchBody(calls), timeoutMs: leftMs, maxBytes, retries },
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    refusesRedirects: true,
  })
  bodies.push({ sha256: sha256Hex(response.body), bytes: response.body.length })
  return parseBatch(response.body, response.status, calls.length)
}

function withoutAddress(text: string, url: string): string {
  return text.replace(/https?:\/\/\S+/g, new URL(url).host)
}
