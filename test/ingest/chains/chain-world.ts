import type { ServerResponse } from 'node:http'
import { listen } from '../../support/peers/sockets.js'

/** A node that speaks JSON-RPC as those of EVM chains do. */
export interface PlayedNode {
  readonly url: string
  chainId: number
  block: number
  time: Date
  /** Units and decimals by contract; a contract that is not there gives `0x`. */
  readonly tokens: Map<string, { readonly units: bigint; readonly decimals: number }>
  /** Balance in wei, nonce and code by lower-case address; an address that is not there is an unused account. */
  readonly accounts: Map<string, PlayedAccount>
  /** An answer in place of the node's own; null: its own. */
  instead: { readonly status: number; readonly body: string } | ((response: ServerResponse) => void) | null
  /** The answer to every batch of a node that takes none; null: it takes them. */
  batchRefusal: { readonly status: number; readonly body: string } | null
  /** Batches received, as parsed. */
  readonly batches: readonly (readonly Call[])[]
  close(): Promise<void>
}

export interface PlayedAccount {
  readonly balance: bigint
  readonly nonce: number
  /** Hexadecimal with 0x; left out: none. */
  readonly code?: string
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

export async function openNode(chainId: number, time: Date): Promise<PlayedNode> {
  const batches: (readonly Call[])[] = []
  const server = await listen((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const asked: Call | readonly Call[] = JSON.parse(Buffer.concat(chunks).toString())
      const calls = [asked].flat()
      batches.push(calls)
      // Nodes answer a batch in any order.
      const answers = calls.map((call) => answerTo(node, call)).reverse()
      const isBatch = Array.isArray(asked)
      const own = JSON.stringify(isBatch ? answers : answers[0])
      if (isBatch && node.batchRefusal !== null) {
        const { status, body } = node.batchRefusal
        return response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      }
      if (typeof node.instead === 'function') return node.instead(response)
      const { status, body } = node.instead ?? { status: 200, body: own }
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  const node: PlayedNode = {
    url: `${server.url}/v3/0123456789abcdef0123456789abcdef`,
    ...{
      chainId,
      block: 21_000_000,
      time,
      tokens: new Map(),
      accounts: new Map(),
      instead: null,
      batchRefusal: null,
      batches,
    },
    close: server.close,
  }
  return node
}

function answerTo(node: PlayedNode, { id, method, params }: Call) {
  const result = resultOf(node, method, params)
  return result === undefined
    ? { jsonrpc: '2.0', id, error: { code: -32_601, message: `the method ${method} does not exist` } }
    : { jsonrpc: '2.0', id, result }
}

function resultOf(node: PlayedNode, method: string, params: readonly unknown[]): unknown {
  if (method === 'eth_chainId') return hex(node.chainId)
  if (method === 'eth_getBlockByNumber') {
    return {
      number: hex(node.block),
      timestamp: hex(Math.floor(node.time.getTime() / 1000)),
      transactions: [],
    }
  }
  if (STATE_METHODS.includes(method)) return stateOf(node, method, params)
  if (method !== 'eth_call') return undefined
  const [{ to, data }, block] = params as readonly [{ readonly to: string; readonly data: string }, string]
  const token = block === hex(node.block) ? node.tokens.get(to) : undefined
  if (token === undefined) return '0x'
  const value = data === '0x18160ddd' ? token.units : BigInt(token.decimals)
  return `0x${value.toString(16).padStart(64, '0')}`
}

const STATE_METHODS: readonly string[] = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']

/** Undefined for another block than the node's: the gateway asks for all at one. */
function stateOf(node: PlayedNode, method: string, [address, block]: readonly unknown[]): unknown {
  if (block !== hex(node.block)) return undefined
  const { balance, nonce, code = '0x' } = node.accounts.get(String(address)) ?? { balance: 0n, nonce: 0 }
  if (method === 'eth_getCode') return code
  return method === 'eth_getBalance' ? hex(balance) : hex(nonce)
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}
