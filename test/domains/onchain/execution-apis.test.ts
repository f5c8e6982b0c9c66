import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { type Listening, listen } from '../../support/peers/sockets.js'
import { samplePath } from '../../support/samples.js'

const SAMPLES = samplePath('evm')

interface Call {
  readonly id: number
  readonly method: string
  readonly params?: readonly unknown[]
}

const BLOCK = { number: '0x36', timestamp: `0x${(SEEDED_AT.getTime() / 1000).toString(16)}` }

/** Results of the recorded exchanges at the newest block, by method and address. */
function recorded(directory: string): ReadonlyMap<string, unknown> {
  const results = new Map<string, unknown>()
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.io'))) {
    const lines = readFileSync(join(directory, file), 'utf8').split('\n')
    const [asked, answered] = ['>> ', '<< '].map((mark) =>
      lines.find((line) => line.startsWith(mark))?.slice(3),
    )
    const { method, params = [] }: Call = JSON.parse(asked ?? '{}')
    const { result } = JSON.parse(answered ?? '{}') as { readonly result?: unknown }
    if (params[1] === 'latest') results.set(`${method} ${params[0]}`, result)
  }
  return results
}

/** What a node says of an address that no exchange asks about: an account that was never used. */
const UNUSED: Readonly<Record<string, string>> = {
  eth_getBalance: '0x0',
  eth_getTransactionCount: '0x0',
  eth_getCode: '0x',
}

describe.skipIf(SAMPLES === null)('the exchanges of the execution APIs, replayed by a node', () => {
  let server: Listening
  let names: Listening
  let app: TestApp
  let key: string
  const exchanges = SAMPLES === null ? new Map<string, unknown>() : recorded(SAMPLES)
  const replayed: string[] = []
  beforeAll(async () => {
    const answer = ({ method, params = [] }: Call): unknown => {
      if (method === 'eth_chainId') return '0x1'
      if (method === 'eth_getBlockByNumber') return BLOCK
      if (params[1] !== BLOCK.number) return null
      const name = `${method} ${params[0]}`
      if (exchanges.has(name)) replayed.push(name)
      return exchanges.get(name) ?? UNUSED[method]
    }
    server = await listen((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const calls: readonly Call[] = JSON.parse(Buffer.concat(chunks).toString())
        response.end(
          JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', id: call.id, result: answer(call) }))),
        )
      })
    })
    names = await listen((_request, response) => void response.writeHead(404).end('{"match":null}'))
    app = await startTestApp(quickestDatabase(), {
      world: 'empty',
      env: { RPC_URLS_1: server.url, PROVIDER_URL_SOURCIFY: names.url },
    })
    key = await app.newKey({ tier: 'growth' })
  })
  afterAll(async () => {
    await app?.close()
    await Promise.all([server?.close(), names?.close()])
  })

  const EXPECTED = [
    // The contract of get-balance.io and get-code.io.
    [
      '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df',
      { wei: '118', tx_count: 0, is_contract: true, delegated_to: null },
    ],
    // The account of get-nonce.io.
    [
      '0x0300100f529a704d19736a8714837adbc934db7f',
      { wei: '0', tx_count: 1, is_contract: false, delegated_to: null },
    ],
    // The delegated account of get-code-eip7702-delegation.io and get-nonce-eip7702-account.io.
    [
      '0xeda8645ba6948855e3b3cd596bbb07596d59c603',
      {
        wei: '0',
        tx_count: 1,
        is_contract: false,
        delegated_to: '0x8c2319620d7c348bb4e2b2a0b230c81f310e9561',
      },
    ],
    // The account that does not exist.
    [
      '0xc1cadaffffffffffffffffffffffffffffffffff',
      { wei: '0', tx_count: 0, is_contract: false, delegated_to: null },
    ],
  ] as const

  it('give the right balance, nonce, code and delegate', async () => {
    const addresses = EXPECTED.map(([address]) => address)
    const { body } = await app.graphql(
      `{ address_snapshots(chain_id: 1, addresses: ${JSON.stringify(addresses)}) { data { address snapshot { data {
         wei: native_balance_wei tx_count is_contract delegated_to } } } } }`,
      { key },
    )
    expect(body).toMatchObject({
      data: {
        address_snapshots: {
          data: EXPECTED.map(([address, data]) => ({ address, snapshot: { data } })),
        },
      },
    })
    expect([...replayed].sort()).toEqual([...exchanges.keys()].sort())
    expect(replayed).toHaveLength(8)
  })

  it('give the same in REST', async () => {
    const { body } = await app.rest(`/v1/onchain/1/${EXPECTED[0][0]}`, { key })
    expect(body).toMatchObject({ data: { native_balance: 1.18e-16, tx_count: 0, is_contract: true } })
  })
})
