import { listen } from '../../support/sockets.js'

/** A node that speaks JSON-RPC as those of EVM chains do. */
export interface PlayedNode {
  readonly url: string
  chainId: number
  block: number
  time: Date
  /** Units and decimals by contract; a contract that is not there gives `0x`. */
  readonly tokens: Map<string, { readonly units: bigint; readonly decimals: number }>
  /** An answer in place of the node's own; null: its own. */
  instead: { readonly status: number; readonly body: string } | null
  /** Batches received, as parsed. */
  readonly batches: readonly (readonly Call[])[]
  close(): Promise<void>
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
      const calls: readonly Call[] = JSON.parse(Buffer.concat(chunks).toString())
      batches.push(calls)
      // Nodes answer a batch in any order.
      const own = JSON.stringify(calls.map((call) => answerTo(node, call)).reverse())
      const { status, body } = node.instead ?? { status: 200, body: own }
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  const node: PlayedNode = {
    url: `${server.url}/v3/0123456789abcdef0123456789abcdef`,
    ...{ chainId, block: 21_000_000, time, tokens: new Map(), instead: null, batches },
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
    return { number: hex(node.block), timestamp: hex(node.time.getTime() / 1000), transactions: [] }
  }
  if (method !== 'eth_call') return undefined
  const [{ to, data }, block] = params as readonly [{ readonly to: string; readonly data: string }, string]
  const token = block === hex(node.block) ? node.tokens.get(to) : undefined
  if (token === undefined) return '0x'
  const value = data === '0x18160ddd' ? token.units : BigInt(token.decimals)
  return `0x${value.toString(16).padStart(64, '0')}`
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
