import { z } from 'zod'
import { BrokenBody, jsonOfBody, quoted } from '../../feed.js'

/** One call of a batch. */
export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The result of one call. */
export type RpcAnswer = { readonly result: unknown } | { readonly error: string }

const Answer = z.object({
  // Some nodes return the id as text.
  id: z.union([z.int(), z.string().regex(/^[1-9]\d{0,5}$/)]).transform(Number),
  result: z.unknown().optional(),
  error: z.object({ code: z.number().optional(), message: z.string().optional() }).nullish(),
})

const Answers = z.array(Answer)

const Refusal = z.object({ error: z.object({ message: z.string().optional() }) })

/** A node refused a batch; it may accept single calls. */
export class BatchRefused extends BrokenBody {}

/** Statuses that refuse the caller, so single calls would fail too. */
const FORBIDDEN: readonly number[] = [401, 402, 403, 429]

/** The body of a JSON-RPC 2.0 batch, ids from 1 on. */
export function batchBody(calls: readonly RpcCall[]): string {
  return JSON.stringify(calls.map((call, at) => ({ jsonrpc: '2.0', id: at + 1, ...call })))
}

/** The body of one call with id 1. */
export function callBody(call: RpcCall): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
}

/**
 * The answers in the order of the calls. Throws BrokenBody if one is missing, and BatchRefused if the whole batch
 * got one error or a status for a bad request.
 */
export function parseBatch(body: Uint8Array, status: number, count: number): readonly RpcAnswer[] {
  const isWrongRequest = status >= 400 && status < 500 && !FORBIDDEN.includes(status)
  if (isWrongRequest) throw new BatchRefused(`the node refused the batch: status ${status}`)
  const json = jsonOfBody(body, status)
  const refusal = Refusal.safeParse(json)
  if (refusal.success) {
    const message = `the node refused the batch: ${quoted(refusal.data.error.message ?? 'no reason')}`
    throw status === 200 ? new BatchRefused(message) : new BrokenBody(message)
  }
  if (status !== 200) throw new BrokenBody(`the status is ${status}`)
  const answers = Answers.safeParse(json)
  if (!answers.success) throw new BrokenBody('the body is not an answer to a JSON-RPC batch')
  const byId = new Map(answers.data.map((answer) => [answer.id, answer]))
  if (byId.size !== answers.data.length) throw new BrokenBody('a call has two answers')
  return Array.from({ length: count }, (_, at) => {
    const answer = byId.get(at + 1)
    if (answer === undefined) throw new BrokenBody(`the answer to call ${at + 1} of ${count} is missing`)
    return rpcAnswerOf(answer)
  })
}

/** The answer to a single call. Throws BrokenBody for other text. */
export function parseAnswer(body: Uint8Array, status: number): RpcAnswer {
  const json = jsonOfBody(body, status)
  if (status !== 200) throw new BrokenBody(`the status is ${status}`)
  const answer = Answer.safeParse(json)
  if (answer.success && answer.data.id === 1) return rpcAnswerOf(answer.data)
  const refusal = Refusal.safeParse(json)
  if (refusal.success) return { error: refusal.data.error.message ?? 'no reason' }
  throw new BrokenBody('the body is not an answer to a JSON-RPC call')
}

function rpcAnswerOf({ error, result }: z.infer<typeof Answer>): RpcAnswer {
  return error == null ? { result } : { error: error.message ?? `code ${error.code}` }
}

/** A hexadecimal number of up to that many digits. Some nodes pad it with zeros, up to 32 bytes. */
export function quantitySchema(maxDigits: number) {
  return z
    .string()
    .regex(/^0x[0-9a-f]{1,64}$/i)
    .transform((text) => text.toLowerCase().replace(/^0x0+(?=.)/, '0x'))
    .refine((text) => text.length - 2 <= maxDigits)
}

/** Up to 64 bits. */
export const Quantity = quantitySchema(16)

/** The required result of a call. Throws BrokenBody with the node's error. */
export function unwrapResult(answer: RpcAnswer | undefined, method: string): unknown {
  if (answer === undefined || 'error' in answer) {
    throw new BrokenBody(`${method} failed: ${quoted(answer?.error ?? 'no answer')}`)
  }
  return answer.result
}
