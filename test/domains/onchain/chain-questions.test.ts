import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EvmAddress, parseEvmAddress } from '../../../src/core/identifiers.js'
import { fixedClock } from '../../../src/core/time.js'
import { countersPort } from '../../../src/domains/access/model.js'
import {
  type AddressReading,
  CHAINS,
  ChainDown,
  type ChainReader,
  chainReaderPort,
  KEPT_PER_DAY,
  MAX_WAITING,
  MAX_WAITING_PER_ACCOUNT,
} from '../../../src/domains/onchain/model.js'
import { parseSnapshotsQuery } from '../../../src/domains/onchain/query.js'
import { type AddressOutcome, listAddressSnapshots } from '../../../src/domains/onchain/service.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { Counters } from '../../../src/platform/quota/counters.js'
import { createCounters } from '../../../src/platform/quota/create-counters.js'
import { bindPorts } from '../../../src/platform/request/ports.js'
import type { RequestContext } from '../../../src/platform/request/request-context.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const log = createLogger('silent')

let made = 0
const newAddress = (): EvmAddress =>
  parseEvmAddress(`0xfe${(++made).toString(16).padStart(38, '0')}`) ?? expect.fail('no address')

/** A chain whose answers the test decides; notes what it was asked. */
class PlayedChain implements ChainReader {
  readonly chainIds = new Set(CHAINS.map(({ chainId }) => chainId))
  readonly asked: (readonly EvmAddress[])[] = []
  /** What is waited for before an answer. */
  gate: Promise<void> = Promise.resolve()
  failure: Error | null = null

  async read(chainId: number, addresses: readonly EvmAddress[]): Promise<readonly AddressReading[]> {
    this.asked.push(addresses)
    await this.gate
    if (this.failure !== null) throw this.failure
    return addresses.map((address) => ({
      ...{ chainId, address, balanceWei: '1', transactionCount: 1, isContract: false, delegatedTo: null },
      ...{ contractName: null, blockNumber: 1, observedAt: SEEDED_AT },
    }))
  }
}

describe('chain reads', () => {
  let database: Database
  let counters: Counters
  let chain: PlayedChain
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    counters = createCounters({ database, redisUrl: null, clock: fixedClock(SEEDED_AT), log })
  })
  beforeEach(() => {
    chain = new PlayedChain()
  })
  afterAll(async () => {
    await counters?.close()
    await database?.close()
  })

  const requestOf = (accountId: string): RequestContext => ({
    principal: {
      ...{ kind: 'key', accountId, meterId: accountId, keyId: accountId, tier: 'growth' },
      ...{ scopes: new Set(), isNarrowed: false, endsAt: null, contract: null },
    },
    ...{ database, now: SEEDED_AT, requestId: 'test', log, datasets: new Map() },
    ports: bindPorts([
      { port: chainReaderPort, implementation: chain },
      { port: countersPort, implementation: counters },
    ]),
    ...{ clientAddress: 'test', idempotencyKey: null },
  })
  const ask = (accountId: string, addresses: readonly string[] = [newAddress()], chainId = 1) => {
    const context = requestOf(accountId)
    const given = addresses.map((text) => ({ field: 'address', text }))
    const query = parseSnapshotsQuery({ chainId, addresses: given, snapshotDate: null }, context)
    return listAddressSnapshots(query, context)
  }
  const codeOf = (asking: Promise<unknown>) =>
    asking.then(
      () => 'answered',
      (error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`,
    )
  const BUSY = 'service_unavailable: Too many addresses are being read at once. Try again in a few seconds.'
  const closeGate = () => {
    let open = () => {}
    chain.gate = new Promise<void>((resolve) => {
      open = resolve
    })
    return () => open()
  }

  it('are bounded per account and in total; a caller beyond the bound is refused at once', async () => {
    const open = closeGate()
    const asks: Promise<string>[] = []
    for (let at = 0; at < MAX_WAITING_PER_ACCOUNT; at++) asks.push(codeOf(ask('greedy')))
    await expect.poll(() => chain.asked.length).toBe(MAX_WAITING_PER_ACCOUNT)
    expect(await codeOf(ask('greedy'))).toBe(BUSY)
    for (let at = MAX_WAITING_PER_ACCOUNT; at < MAX_WAITING; at++) asks.push(codeOf(ask(`modest ${at}`)))
    await expect.poll(() => chain.asked.length).toBe(MAX_WAITING)
    expect(await codeOf(ask('late'))).toBe(BUSY)
    open()
    expect(await Promise.all(asks)).toEqual(Array(MAX_WAITING).fill('answered'))
    expect(await codeOf(ask('late'))).toBe('answered')
    expect(await codeOf(ask('greedy'))).toBe('answered')
  })

  it('of one address are shared by all callers, and a list reads only its other addresses', async () => {
    const open = closeGate()
    const [first, second] = [newAddress(), newAddress()]
    const one = ask('a', [first])
    await expect.poll(() => chain.asked.length).toBe(1)
    const both = ask('b', [first, second])
    await expect.poll(() => chain.asked).toEqual([[first], [second]])
    open()
    expect((await both).map(({ outcome }) => 'snapshot' in outcome)).toEqual([true, true])
    expect(await one).toHaveLength(1)
  })

  it('refund the addresses of a chain whose circuit is open, and fail for all waiting callers', async () => {
    chain.failure = new ChainDown('out', { wasAsked: false })
    const address = newAddress()
    const codes = await Promise.all([codeOf(ask('unlucky', [address])), codeOf(ask('other', [address]))])
    expect(codes).toEqual(
      Array(2).fill('service_unavailable: No node of the chain is answering. Try again later.'),
    )
    const hour = SEEDED_AT.toISOString().slice(0, 13)
    const used = ['unlucky', 'other'].map((account) => ({
      ...{ key: `onchain asked ${hour} ${account}`, owner: account, quota: 600, units: 0 },
      windowEnd: new Date(SEEDED_AT.getTime() + 3_600_000),
    }))
    expect(await counters.peek(used, SEEDED_AT)).toEqual([0, 0])
    chain.failure = null
    expect(await codeOf(ask('unlucky', [address]))).toBe('answered')
  })

  it('count the addresses of nodes that got a request and did not answer', async () => {
    chain.failure = new ChainDown('out', { wasAsked: true })
    await codeOf(ask('charged'))
    const key = `onchain asked ${SEEDED_AT.toISOString().slice(0, 13)} charged`
    const window = {
      owner: 'charged',
      quota: 600,
      units: 0,
      windowEnd: new Date(SEEDED_AT.getTime() + 3_600_000),
    }
    expect(await counters.peek([{ key, ...window }], SEEDED_AT)).toEqual([1])
    chain.failure = null
  })

  it('do not report an error of the gateway as an outage', async () => {
    chain.failure = new TypeError('a mistake')
    await expect(ask('a')).rejects.toThrow(TypeError)
    chain.failure = null
    expect(await codeOf(ask('a'))).toBe('answered')
  })

  it('are served but not stored when the day’s limit is reached, except labelled addresses', async () => {
    const spent = {
      ...{ key: 'onchain kept 2026-11-20', owner: 'onchain kept', quota: KEPT_PER_DAY },
      windowEnd: new Date('2026-11-21T00:00:00Z'),
      units: 0,
    }
    const [used = 0] = await counters.peek([spent], SEEDED_AT)
    await counters.consume([{ ...spent, units: KEPT_PER_DAY - used - 1 }], SEEDED_AT)
    const [last, beyond] = [newAddress(), newAddress()]
    const isKept = async (address: string) =>
      (await database.rows('select 1 from address_snapshot where address = $1', [address])).length === 1
    const answered = ([entry]: readonly AddressOutcome[]) =>
      entry !== undefined && 'snapshot' in entry.outcome
    expect([answered(await ask('a', [last])), await isKept(last)]).toEqual([true, true])
    expect([answered(await ask('a', [beyond])), await isKept(beyond)]).toEqual([true, false])
    expect(answered(await ask('a', [beyond, USDC]))).toBe(true)
    expect([await isKept(beyond), await isKept(USDC)]).toEqual([false, true])
  })
})
