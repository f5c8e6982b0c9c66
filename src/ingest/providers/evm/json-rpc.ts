import { z } from 'zod'
import { BrokenBody, jsonOfBody, quoted } from '../../feed.js'

/** One call of a batch. */
export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a node said to one call. */
export type RpcAnswer = { readonly result: unknown } | { readonly error: string }

const Answers = z.array(
  z.object({
    id: z.int(),
    result: z.unknown().optional(),
    error: z.object({ code: z.number().optional(), message: z.string().optional() }).nullish(),
  }),
)

const Refusal = z.object({ error: z.object({ message: z.string().optional() }) })

/** The body of a JSON-RPC 2.0 batch, ids from 1 on. */
export function batchBody(calls: readonly RpcCall[]): string {
  return JSON.stringify(calls.map((call, at) => ({ jsonrpc: '2.0', id: at + 1, ...call })))
}

/** The answers in the order of the calls, whatever order they came in. Throws BrokenBody when one is not there. */
export function parseBatch(body: Uint8Array, status: number, count: number): readonly RpcAnswer[] {
  const json = jsonOfBody(body, status)
  const refusal = Refusal.safeParse(json)
  if (refusal.success) {
    throw new BrokenBody(`the node refused the batch: ${quoted(refusal.data.error.message ?? 'no reason')}`)
  }
  if (status !== 200) throw new BrokenBody(`the status is ${status}`)
  const answers = Answers.safeParse(json)
  if (!answers.success) throw new BrokenBody('the body is no answer to a JSON-RPC batch')
  const byId = new Map(answers.data.map((answer) => [answer.id, answer]))
  if (byId.size !== answers.data.length) throw new BrokenBody('a call was answered twice')
  return Array.from({ length: count }, (_, at) => {
    const answer = byId.get(at + 1)
    if (answer === undefined) throw new BrokenBody(`the answer to call ${at + 1} of ${count} is missing`)
    const { error, result } = answer
    return error == null ? { result } : { error: error.message ?? `code ${error.code}` }
  })
}

/** Hexadecimal as JSON-RPC writes numbers of up to 64 bits. */
export const Quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]{0,15})$/)

/** The result of a call that must have one; throws BrokenBody with the node's own error. */
export function resultOf(answer: RpcAnswer | undefined, method: string): unknown {
  if (answer === undefined || 'error' in answer) {
    throw new BrokenBody(`${method} failed: ${quoted(answer?.error ?? 'no answer')}`)
  }
  return answer.result
}
