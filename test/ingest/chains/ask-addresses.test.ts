import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type EvmAddress, parseEvmAddress } from '../../../src/core/identifiers.js'
import { ChainDown } from '../../../src/domains/onchain/model.js'
import {
  type ChainReaderOptions,
  createChainReader,
  RETRYING,
} from '../../../src/ingest/chains/ask-addresses.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../src/platform/http-client/provider-addresses.js'
import { type RequestTurns, requestTurns } from '../../../src/platform/http-client/request-turns.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { waitedMs } from '../../support/waited-ms.js'
import { openNode, type PlayedNode } from './chain-world.js'
import { openNameServices, type PlayedNameServices } from './name-services.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const KEY = 'SECRETETHERSCANKEY'
const at = (digit: string): EvmAddress => parseEvmAddress(`0x${digit.repeat(40)}`) ?? expect.fail(digit)
const ACCOUNT = at('1')
const CONTRACT = at('2')
const DELEGATED = at('3')

describe('a reader of chains', () => {
  let node: PlayedNode
  let second: PlayedNode
  let names: PlayedNameServices
  let lines: string[]
  beforeEach(async () => {
    lines = []
    node = await openNode(1, NOW)
    second = await openNode(1, NOW)
    names = await openNameServices()
    for (const { accounts } of [node, second]) {
      accounts.set(ACCOUNT, { balance: 2n ** 256n - 1n, nonce: 10_001 })
      accounts.set(CONTRACT, { balance: 1n, nonce: 1, code: '0x6001600155' })
      accounts.set(DELEGATED, { balance: 0n, nonce: 7, code: `0xEF0100${'AB'.repeat(20)}` })
    }
  })
  afterEach(() => Promise.all([node.close(), second.close(), names.close()]))

  function reader({ turns, ...options }: Partial<ChainReaderOptions> & { turns?: RequestTurns } = {}) {
    const log = createLogger('debug', { write: (line: string) => void lines.push(line) })
    const http = withProviderUrls(
      createHttpClient({ log, userAgent: 'test', ...(turns && { turns }) }),
      names.urls,
    )
    const rpcUrls = new Map([[1, [node.url, second.url]]])
    return createChainReader({ http, log, rpcUrls, etherscanKey: null, ...options })
  }
  const read = (addresses: readonly EvmAddress[] = [ACCOUNT], options: Partial<ChainReaderOptions> = {}) =>
    reader(options).read(1, addresses, NOW)

  it('reads balance, nonce and code of each address at one block', async () => {
    names.sourcify.set(CONTRACT, 'FiatTokenProxy')
    const at = { chainId: 1, blockNumber: 21_000_000, observedAt: NOW }
    expect(await read([ACCOUNT, CONTRACT, DELEGATED])).toEqual([
      {
        ...{ ...at, address: ACCOUNT, balanceWei: String(2n ** 256n - 1n), transactionCount: 10_001 },
        ...{ isContract: false, delegatedTo: null, contractName: null },
      },
      {
        ...{ ...at, address: CONTRACT, balanceWei: '1', transactionCount: 1, isContract: true },
        ...{ delegatedTo: null, contractName: { name: 'FiatTokenProxy', source: 'sourcify' } },
      },
      {
        ...{ ...at, address: DELEGATED, balanceWei: '0', transactionCount: 7, isContract: false },
        ...{ delegatedTo: `0x${'ab'.repeat(20)}`, contractName: null },
      },
    ])
    expect(node.batches.map((batch) => batch.length)).toEqual([2, 9])
    expect(new Set(node.batches[1]?.map(({ params }) => params[1]))).toEqual(new Set(['0x1406f40']))
    // No name is asked for what is not a contract.
    expect(names.asked).toEqual([`/sourcify/server/v2/contract/1/${CONTRACT}?fields=compilation`])
    expect(second.batches).toEqual([])
  })

  it('reads 20 addresses in batches of 18 calls, all at the block of the first answer', async () => {
    const many = Array.from(
      { length: 20 },
      (_, place) => parseEvmAddress(`0x${String(place).padStart(40, '0')}`) ?? expect.fail(),
    )
    expect((await read(many)).map(({ address }) => address)).toEqual(many)
    expect(node.batches.map((batch) => batch.length)).toEqual([2, 18, 18, 18, 6])
  })

  it('serves the chains that are both known and configured', () => {
    const rpcUrls = new Map([
      [1, [node.url]],
      [8_453, [node.url]],
      [100, [node.url]],
    ])
    expect([...reader({ rpcUrls }).chainIds]).toEqual([1, 8_453])
  })

  const states = (balance: unknown, nonce: unknown = '0x0', code: unknown = '0x') =>
    JSON.stringify([balance, nonce, code].map((result, place) => ({ jsonrpc: '2.0', id: place + 1, result })))

  /** The head is the node's own: what comes after it is hostile. */
  const afterHead = (body: string, status = 200) => {
    node.instead = (response) => {
      const isHead = node.batches.length === 1
      const head = [
        { jsonrpc: '2.0', id: 1, result: '0x1' },
        {
          jsonrpc: '2.0',
          id: 2,
          result: { number: '0x10', timestamp: `0x${(NOW.getTime() / 1000).toString(16)}` },
        },
      ]
      response.writeHead(isHead ? 200 : status).end(isHead ? JSON.stringify(head) : body)
    }
  }

  it.each<[string, string, number]>([
    ['an HTML page', '<!doctype html><title>Maintenance</title>', 200],
    ['nothing', '', 200],
    ['JSON that ends early', states('0x1').slice(0, 40), 200],
    ['an answer to another call', states('0x1').replace('"id":2', '"id":7'), 200],
    ['two answers to a call', states('0x1').replace('"id":2', '"id":1'), 200],
    [
      'an error with status 200',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"limit exceeded"}}',
      200,
    ],
    [
      'an error of one call',
      states('0x1').replace('"result":"0x0"', '"error":{"code":-32000,"message":"header not found"}'),
      200,
    ],
    ['1e400', states('0x1').replace('"0x1"', '1e400'), 200],
    ['a number in place of text', states(118), 200],
    ['a balance of 33 bytes', states(`0x1${'0'.repeat(64)}`), 200],
    ['a negative balance', states('-0x1'), 200],
    ['a balance that is null', states(null), 200],
    ['a nonce beyond exact numbers', states('0x1', '0xffffffffffffffff'), 200],
    ['half a byte of code', states('0x1', '0x0', '0x123'), 200],
    ['code that is none', states('0x1', '0x0', 'contract'), 200],
    ['a refusal', '{"error":{"message":"bad key"}}', 401],
    ['throttling', 'slow down', 429],
    ['a huge body', ' '.repeat(2 * 1024 * 1024 + 1), 200],
  ])('uses the next node after %s', async (_what, body, status) => {
    afterHead(body, status)
    expect((await read())[0]).toMatchObject({ transactionCount: 10_001, blockNumber: 21_000_000 })
    expect(second.batches.map((batch) => batch.length)).toEqual([2, 3])
  })

  it.each<[string, number, string]>([
    ['one error', 200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}'],
    ['status 400', 400, 'invalid request'],
    ['status 405', 405, ''],
  ])(
    'asks a node that answers a batch with %s call by call, and tries no batch again',
    async (_what, status, body) => {
      node.batchRefusal = { status, body }
      expect((await read([ACCOUNT, CONTRACT])).map(({ transactionCount }) => transactionCount)).toEqual([
        10_001, 1,
      ])
      expect(node.batches.map((batch) => batch.length)).toEqual([2, 1, 1, 1, 1, 1, 1, 1, 1])
      expect(second.batches).toEqual([])
    },
  )

  it('uses the next node after one that refuses single calls too', async () => {
    node.instead = {
      status: 200,
      body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded"}}',
    }
    expect(await read()).toHaveLength(1)
    expect(second.batches.map((batch) => batch.length)).toEqual([2, 3])
  })

  it('reads numbers with leading zeros, in either case, and ids that are text', async () => {
    afterHead(
      states(`0x${'0'.repeat(62)}0A`, '0x0000000000000000000012', '0x').replace(/"id":(\d)/g, '"id":"$1"'),
    )
    expect((await read())[0]).toMatchObject({ balanceWei: '10', transactionCount: 18 })
    expect(second.batches).toEqual([])
  })

  it('follows no redirect', async () => {
    const inside = await openNode(1, NOW)
    node.instead = (response) => void response.writeHead(307, { location: inside.url }).end()
    expect((await read())[0]).toMatchObject({ transactionCount: 10_001 })
    expect([inside.batches.length, second.batches.length]).toEqual([0, 2])
    await inside.close()
  })

  it('uses the next node after a silent or unreachable one', async () => {
    node.instead = () => {}
    expect(await read([ACCOUNT], { batchMs: 500 })).toHaveLength(1)
    await node.close()
    expect(await read()).toHaveLength(1)
  })

  it('is down if no node answers, within its budget, and the error shows no address', async () => {
    node.instead = () => {}
    second.instead = { status: 200, body: 'null' }
    let error: unknown
    const waited = await waitedMs(() =>
      read([ACCOUNT], { budgetMs: 2_000, batchMs: 250 }).catch((reason: unknown) => {
        error = reason
      }),
    )
    expect(waited).toBeLessThanOrEqual(2_000)
    expect(error).toBeInstanceOf(ChainDown)
    expect(String(error)).toContain('chain 1, address 1 of 2: UpstreamError: ')
    expect(String(error)).toContain('chain 1, address 2 of 2: BrokenBody: ')
    expect(String(error)).not.toContain('0123456789abcdef')
  })

  it('is down at once if no time is left for the next node', async () => {
    node.instead = () => {}
    await expect(read([ACCOUNT], { budgetMs: 100 })).rejects.toThrow('no time was left for the request')
    expect(second.batches).toEqual([])
  })

  it('is down without a node, and with a node of another chain or one that is behind', async () => {
    await expect(reader().read(56, [ACCOUNT], NOW)).rejects.toThrow('no node of chain 56 is configured')
    node.chainId = 10
    second.time = new Date('2026-11-22T08:00:00Z')
    await expect(read()).rejects.toThrow(
      /the node belongs to chain 10, not 1.*so the node is not in step with the chain/,
    )
  })

  const nameOf = async (options: Partial<ChainReaderOptions> = {}) =>
    (await read([CONTRACT], options))[0]?.contractName

  it('takes the name of a contract from Sourcify, or else from Etherscan with a configured key', async () => {
    names.etherscan.set(CONTRACT, 'FromEtherscan')
    expect(await nameOf()).toEqual({ name: null, source: 'sourcify' })
    expect(await nameOf({ etherscanKey: KEY })).toEqual({ name: 'FromEtherscan', source: 'etherscan' })
    names.sourcify.set(CONTRACT, 'FromSourcify')
    expect(await nameOf({ etherscanKey: KEY })).toEqual({ name: 'FromSourcify', source: 'sourcify' })
    expect(names.asked.filter((path) => path.startsWith('/etherscan'))).toEqual([
      `/etherscan/v2/api?chainid=1&module=contract&action=getsourcecode&address=${CONTRACT}&apikey=${KEY}`,
    ])
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('')).not.toContain(KEY)
    expect(lines.join('')).not.toContain('0123456789abcdef')
  })

  it.each([
    ['an HTML page with status 404', { status: 404, body: '<html></html>' }],
    ['a failure', { status: 500, body: '' }],
    ['throttling', { status: 429, body: '' }],
    ['another shape', { status: 200, body: '[]' }],
    ['a redirect', { status: 302, body: '{}' }],
  ])('has no name, and does not claim that the contract has none, after %s', async (_what, instead) => {
    names.instead = instead
    expect(await nameOf()).toBeNull()
  })

  it('leaves out the names whose turn would come too late, within its time, and asks no node more slowly', async () => {
    const database = await openTestDatabase(quickestDatabase())
    onTestFinished(() => database.close())
    const contracts = Array.from({ length: 6 }, (_, place) => at(String.fromCharCode(97 + place)))
    for (const contract of contracts) {
      node.accounts.set(contract, { balance: 1n, nonce: 1, code: '0x6001600155' })
      names.etherscan.set(contract, `Of${contract.at(-1)}`)
    }
    let named: readonly string[] = []
    const waited = await waitedMs(async () => {
      const turns = requestTurns(database)
      const readings = await reader({ turns, etherscanKey: KEY }).read(1, contracts, NOW)
      named = readings.flatMap(({ contractName }) => contractName?.name ?? [])
    })
    expect(waited).toBeLessThan(4_000)
    expect(names.asked.filter((path) => path.startsWith('/sourcify'))).toHaveLength(6)
    // Two at once and one 0.9 s later.
    expect(named).toHaveLength(3)
    expect(names.asked.filter((path) => path.startsWith('/etherscan'))).toHaveLength(3)
  })

  it('gets all names in turn when nobody waits for them', async () => {
    const database = await openTestDatabase(quickestDatabase())
    onTestFinished(() => database.close())
    const contracts = ['a', 'b', 'c', 'd', 'e'].map(at)
    for (const contract of contracts) {
      node.accounts.set(contract, { balance: 1n, nonce: 1, code: '0x6001600155' })
      names.etherscan.set(contract, 'Named')
    }
    const patient = reader({ turns: requestTurns(database), etherscanKey: KEY, ...RETRYING })
    const readings = await patient.read(1, contracts, NOW)
    expect(readings.map(({ contractName }) => contractName?.name)).toEqual(contracts.map(() => 'Named'))
  })

  it('shows no malformed name, and reads the state even without a name in time', async () => {
    names.sourcify.set(CONTRACT, '<script>alert(1)</script>')
    expect(await nameOf()).toEqual({ name: null, source: 'sourcify' })
    names.instead = 'silence'
    const waited = await waitedMs(async () =>
      expect((await read([CONTRACT], { budgetMs: 400 }))[0]).toMatchObject({
        isContract: true,
        contractName: null,
      }),
    )
    expect(waited).toBeLessThanOrEqual(400)
  })
})
