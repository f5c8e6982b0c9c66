import { z } from 'zod'
import { BrokenBody, quoted } from '../../feed.js'
import { Quantity, quantitySchema, type RpcAnswer, unwrapResult } from './json-rpc.js'

/** A contract did not answer a call as its interface says; the node itself is fine. */
export class CallRefused extends BrokenBody {}

/** Numbers that are exact as numbers of JavaScript. */
const Count = Quantity.refine((text) => Number.isSafeInteger(Number(text)))

/** What each method has to answer with. */
const RESULTS: Readonly<Record<string, readonly [what: string, schema: z.ZodType]>> = {
  eth_chainId: ['a number', Count],
  // Times are judged by how far they are from now.
  eth_getBlockByNumber: ['a block', z.object({ number: Count, timestamp: Quantity })],
  eth_getBalance: ['a number of 32 bytes', quantitySchema(64)],
  eth_getTransactionCount: ['a count', Count],
  eth_getCode: [
    'code',
    z
      .string()
      .toLowerCase()
      .regex(/^0x(?:[0-9a-f]{2})*$/),
  ],
}

/** The result of a call that is fit to be read. Throws BrokenBody where it is none, CallRefused for `eth_call`. */
export function checkedResult(method: string, answer: RpcAnswer | undefined): unknown {
  if (method === 'eth_call') return wordOf(answer)
  const [what, schema] = RESULTS[method] ?? ['anything known', z.never()]
  const read = schema.safeParse(unwrapResult(answer, method))
  if (read.success) return read.data
  throw new BrokenBody(`${method} did not answer with ${what}`)
}

/** One word of the contract interface: 32 bytes. */
function wordOf(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined) throw new CallRefused('was not answered')
  if ('error' in answer) throw new CallRefused(`failed: ${quoted(answer.error)}`)
  const { result } = answer
  if (result === '0x') throw new CallRefused('returned nothing; the address has no such contract')
  if (typeof result === 'string' && /^0x[0-9a-f]{64}$/i.test(result)) return result
  throw new CallRefused(`gave no number of 32 bytes: ${quoted(String(result))}`)
}
