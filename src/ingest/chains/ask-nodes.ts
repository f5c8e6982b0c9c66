import { sha256Hex } from '../../core/canonical-json.js'
import type { HttpClient } from '../../platform/http-client/http-client.js'
import { isUnsent, UpstreamError } from '../../platform/http-client/upstream-error.js'
import { BrokenBody } from '../feed.js'
import {
  BatchRefused,
  batchBody,
  callBody,
  parseAnswer,
  parseBatch,
  type RpcAnswer,
} from '../providers/evm/json-rpc.js'
import { errorText, type Rejection } from '../run/ledger.js'
import { type AskNode, type NodeClient, openNodeClient } from './node-client.js'

export interface NodesQuestion {
  readonly chainId: number
  /** Nodes are tried in this order. */
  readonly urls: readonly string[]
  /**
   * Time for a batch with its retries. It is called before each batch, so that it can shrink; zero or less means
   * that no time is left.
   */
  readonly timeoutMs: () => number
  readonly retries: number
  /** A longer response to a batch is refused. */
  readonly maxBytes: number
}

export interface NodesAnswer<Answer> {
  /** Null if no node gave a usable answer. */
  readonly answer: Answer | null
  /**
   * A line for each node that failed. It names the node by position, because any part of its URL may hold a key.
   */
  readonly failures: readonly Rejection[]
  /** False if no node got a request, because each failed repeatedly before. */
  readonly wasAsked: boolean
  /** Hash and size of each response. */
  readonly bodies: readonly { readonly sha256: string; readonly bytes: number }[]
}

/** Does the work at the first node of a chain that answers all of it. A redirect does not count as an answer. */
export async function atFirstNode<Answer>(
  http: HttpClient,
  question: NodesQuestion,
  work: (node: NodeClient) => Promise<Answer>,
): Promise<NodesAnswer<Answer>> {
  const { chainId, urls } = question
  const failures: Rejection[] = []
  const bodies: { readonly sha256: string; readonly bytes: number }[] = []
  let wasAsked = false
  for (const [at, url] of urls.entries()) {
    try {
      const post = (text: string) => postTo(http, question, url, text, bodies)
      const node = openNodeClient(chainId, batchesOrCalls(post))
      return { answer: await work(node), failures, wasAsked: true, bodies }
    } catch (error) {
      if (!(error instanceof BrokenBody) && !(error instanceof UpstreamError)) throw error
      wasAsked ||= !isUnsent(error)
      failures.push({
        position: `chain ${chainId}, address ${at + 1} of ${urls.length}`,
        reason: withoutAddress(errorText(error), url),
      })
    }
  }
  return { answer: null, failures, wasAsked, bodies }
}

type Post = (body: string) => Promise<{ readonly body: Uint8Array; readonly status: number }>

/** Sends batches. After a node refuses one, it gets single calls. */
function batchesOrCalls(post: Post): AskNode {
  let takesBatches = true
  return async (calls) => {
    if (takesBatches) {
      try {
        const { body, status } = await post(batchBody(calls))
        return parseBatch(body, status, calls.length)
      } catch (error) {
        if (!(error instanceof BatchRefused)) throw error
        takesBatches = false
      }
    }
    const answers: RpcAnswer[] = []
    for (const call of calls) {
      const { body, status } = await post(callBody(call))
      answers.push(parseAnswer(body, status))
    }
    return answers
  }
}

async function postTo(
  http: HttpClient,
  { timeoutMs, retries, maxBytes }: NodesQuestion,
  url: string,
  body: string,
  bodies: { readonly sha256: string; readonly bytes: number }[],
): ReturnType<Post> {
  const leftMs = timeoutMs()
  if (leftMs <= 0) throw new BrokenBody('no time was left for the request')
  const response = await http.request({
    ...{ url, method: 'POST', body, timeoutMs: leftMs, maxBytes, retries },
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    refusesRedirects: true,
  })
  bodies.push({ sha256: sha256Hex(response.body), bytes: response.body.length })
  return response
}

function withoutAddress(text: string, url: string): string {
  return text.replace(/https?:\/\/\S+/g, new URL(url).host)
}
