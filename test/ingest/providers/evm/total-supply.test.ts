import { readFileSync } from 'node:fs'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { openNodeClient } from '../../../../src/ingest/chains/node-client.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import {
  batchBody,
  parseBatch,
  type RpcAnswer,
  type RpcCall,
} from '../../../../src/ingest/providers/evm/json-rpc.js'
import { samplePath } from '../../../support/samples.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const HEAD = { block: 0x1406f40n, time: NOW }
const LINK = { assetId: 12, slug: 'chainlink', contract: { chainId: 1, address: `0x${'5'.repeat(40)}` } }
const bytes = (json: unknown) =>
  new TextEncoder().encode(typeof json === 'string' ? json : JSON.stringify(json))
const word = (value: bigint) => ({ result: `0x${value.toString(16).padStart(64, '0')}` })

/** A client of a node that answers so to one batch. */
const nodeOf = (answers: readonly (RpcAnswer | undefined)[], asked: RpcCall[] = []) =>
  openNodeClient(1, async (calls) => {
    asked.push(...calls)
    return answers as readonly RpcAnswer[]
  })

describe('a JSON-RPC batch', () => {
  it('numbers its calls, and puts the answers in their order', () => {
    const calls = [
      { method: 'a', params: [] },
      { method: 'b', params: [1] },
    ]
    expect(JSON.parse(batchBody(calls))).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: [] },
      { jsonrpc: '2.0', id: 2, method: 'b', params: [1] },
    ])
    const answers = [
      { jsonrpc: '2.0', id: 2, error: { code: 3, message: 'execution reverted' } },
      { jsonrpc: '2.0', id: 1, result: '0x1' },
    ]
    expect(parseBatch(bytes(answers), 200, 2)).toEqual([{ result: '0x1' }, { error: 'execution reverted' }])
  })

  it.each([
    ['<html>Bad Gateway</html>', 200, 'the body is not JSON (status 200)'],
    ['', 200, 'the body is not JSON'],
    [
      { jsonrpc: '2.0', id: null, error: { code: -32005, message: 'limit exceeded' } },
      200,
      'refused the batch: "limit exceeded"',
    ],
    [{ error: { message: 'no key' } }, 401, 'refused the batch: "no key"'],
    [[], 403, 'the status is 403'],
    [{ result: 1 }, 200, 'the body is not an answer to a JSON-RPC batch'],
    [[{ id: 'x' }], 200, 'the body is not an answer to a JSON-RPC batch'],
    [[{ id: 1, result: '0x1' }], 200, 'the answer to call 2 of 2 is missing'],
  ])('is refused completely if it is malformed: %j', (body, status, message) => {
    expect(() => parseBatch(bytes(body), status, 2)).toThrow(message)
  })
})

describe('the newest block of a node', () => {
  const head = (chain: unknown, number: unknown, timestamp: unknown): readonly RpcAnswer[] => [
    { result: chain },
    { result: { number, timestamp, hash: '0x0' } },
  ]
  const seconds = (at: Date) => `0x${(at.getTime() / 1000).toString(16)}`

  it('is read with its time', async () => {
    const time = new Date(NOW.getTime() - 12_000)
    const asked: RpcCall[] = []
    const node = await nodeOf(head('0x1', '0x1406f40', seconds(time)), asked)
    expect(await node.head(NOW)).toEqual({ block: 0x1406f40n, time })
    expect(asked).toEqual([
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ])
  })

  const old = seconds(new Date(NOW.getTime() - 3_601_000))
  const ahead = seconds(new Date(NOW.getTime() + 301_000))
  it.each([
    [head('0x38', '0x1', seconds(NOW)), 'the node belongs to chain 56, not 1'],
    [head('1', '0x1', seconds(NOW)), 'eth_chainId did not answer with a number'],
    [head('0xffffffffffffffff', '0x1', seconds(NOW)), 'eth_chainId did not answer with a number'],
    [head('0x1', '0xffffffffffffffff', seconds(NOW)), 'eth_getBlockByNumber did not answer with a block'],
    [head('0x1', null, seconds(NOW)), 'eth_getBlockByNumber did not answer with a block'],
    [[{ result: '0x1' }, { result: null }], 'eth_getBlockByNumber did not answer with a block'],
    [[{ result: '0x1' }, { error: 'header not found' }], 'eth_getBlockByNumber failed: "header not found"'],
    [head('0x1', '0x1', old), 'the newest block of the node has the time 2026-11-22T08:59:59.000Z'],
    [head('0x1', '0x1', ahead), 'so the node is not in step with the chain'],
    [head('0x1', '0x1', '0xffffffffffffffff'), 'so the node is not in step with the chain'],
  ])('is refused from an unsuitable node (%#)', async (answers, message) => {
    const node = await nodeOf(answers)
    const error = await node.head(NOW).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(BrokenBody)
    expect(String(error)).toContain(message)
  })
})

describe('supplies of tokens', () => {
  const read = async (total: RpcAnswer | undefined, decimals: RpcAnswer | undefined) =>
    (await nodeOf([total, decimals])).supply(LINK, HEAD)

  it('are read at the block, by the selectors of the ERC-20 functions, in one batch', async () => {
    const selector = (signature: string) => `0x${bytesToHex(keccak_256(utf8ToBytes(signature))).slice(0, 8)}`
    const asked: RpcCall[] = []
    await (await nodeOf([word(1n), word(0n)], asked)).supply(LINK, HEAD)
    expect(asked).toEqual(
      ['totalSupply()', 'decimals()'].map((signature) => ({
        method: 'eth_call',
        params: [{ to: LINK.contract.address, data: selector(signature) }, '0x1406f40'],
      })),
    )
  })

  it('follow no address that a contract names (EIP-3668)', async () => {
    const lookup = { error: 'execution reverted', data: '0x556f1830' }
    expect(await read(lookup, word(0n))).toMatchObject({
      reason: 'totalSupply() failed: "execution reverted"',
    })
  })

  it.each([
    [10n ** 27n, 18n, '1000000000'],
    [10n ** 27n + 1n, 18n, '1000000000.000000000000000001'],
    [424_999_998n, 8n, '4.24999998'],
    [5n, 0n, '5'],
    [1n, 30n, `0.${'0'.repeat(29)}1`],
    [10n ** 35n - 1n, 0n, '9'.repeat(35)],
  ])('of %d units with %d decimals is %s', async (units, decimals, supply) => {
    expect(await read(word(units), word(decimals))).toEqual({
      kind: 'row',
      row: {
        assetId: 12,
        supply,
        observedAt: NOW,
        methodology: `totalSupply() of the contract ${LINK.contract.address} on chain 1 at block 21000000. Units that are locked or not yet released count as existing.`,
      },
    })
  })

  it.each([
    [word(0n), word(18n), 'totalSupply() is zero'],
    [word(1n), word(31n), 'decimals() is 31, above 30'],
    [word(2n ** 256n - 1n), word(0n), 'totalSupply() is beyond the supported range'],
    [{ result: '0x' }, word(18n), 'totalSupply() returned nothing; the address has no such contract'],
    [word(1n), { result: '0x12' }, 'decimals() did not return a number of 32 bytes: "0x12"'],
    [{ result: null }, word(18n), 'totalSupply() did not return a number of 32 bytes: "null"'],
    [{ error: 'execution reverted' }, word(18n), 'totalSupply() failed: "execution reverted"'],
    [word(1n), undefined, 'decimals() got no answer'],
  ])('are rejected one by one if the answer makes no sense (%#)', async (total, decimals, reason) => {
    expect(await read(total, decimals)).toEqual({
      kind: 'rejected',
      position: `chainlink, contract ${LINK.contract.address} on chain 1`,
      reason,
    })
  })
})

const blockNumber = samplePath('evm/eth_blockNumber__simple-test.io')
const chainId = samplePath('evm/eth_chainId__get-chain-id.io')
describe.skipIf(blockNumber === null || chainId === null)(
  'a batch of the official exchanges (skipped without the samples)',
  () => {
    it('are read, answers of either kind', async () => {
      const replies = [blockNumber, chainId].map((path, at) => {
        const [, reply = ''] = /^<< (.*)$/m.exec(readFileSync(path ?? '', 'utf8')) ?? []
        return { ...(JSON.parse(reply) as object), id: at + 1 }
      })
      const [block, chain] = parseBatch(bytes(replies), 200, 2)
      expect(block).toEqual({ result: '0x36' })
      const newest = { result: { number: '0x36', timestamp: `0x${(NOW.getTime() / 1000).toString(16)}` } }
      await expect((await nodeOf([chain, newest])).head(NOW)).rejects.toThrow(/belongs to chain \d+, not 1/)
    })
  },
)
