import { z } from 'zod'
import { BrokenBody, quoted } from '../../feed.js'
import { Quantity, quantitySchema, type RpcAnswer, unwrapResult } from './json-rpc.js'

/** A contract did not answer a call as its interface requires; the node works. */
export class CallRefused extends BrokenBody {}

/** Numbers that JavaScript represents exactly. */
const Count = Quantity.refine((text) => Number.isSafeInteger(Number(text)))

/** The result type of each method. */
const RESULTS: Readonly<Record<string, readonly [what: string, schema: z.ZodType]>> = {
  eth_chainId: ['a number', Count],
  // Later code judges times by their distance from now.
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

/** The valid result of a call. Throws BrokenBody if it is not valid, CallRefused for `eth_call`. */
export function checkedResult(method: string, answer: RpcAnswer | undefined): unknown {
  if (method === 'eth_call') return wordOf(answer)
  const [what, schema] = RESULTS[method] ?? ['anything known', z.never()]
  const read = schema.safeParse(unwrapResult(answer, method))
  if (read.success) return read.data
  throw new BrokenBody(`${method} did not answer with ${what}`)
}

/** One word of the contract interface: 32 bytes. */
function wordOf(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined) throw new CallRefused('got no answer')
  if ('error' in answer) throw new CallRefused(`failed: ${quoted(answer.error)}`)
  const { result } = answer
  if (result === '0x') throw new CallRefused('returned nothing; the address has no such contract')
  if (typeof result === 'string' && /^0x[0-9a-f]{64}$/i.test(result)) return result
  throw new CallRefused(`did not return a number of 32 bytes: ${quoted(String(result))}`)
}
