import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../support/counters/counter-flavours.js'
import type { Accepted, WorkerAccount, WorkerOrder } from '../../support/counters/counter-worker.js'
import { expectExact, runOrder, startNodes } from '../../support/counters/exact-nodes.js'
import type { Child } from '../../support/processes/child.js'
import { type LocalRedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import { mayStartRedis } from '../../support/redis/redis-server.js'

/** Figures of a run, for its log. */
function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Enough for every master and many slots; prime, so that each account gets calls of every cost. */
const ACCOUNTS = 61

const accountsWith = (quota: number): readonly WorkerAccount[] =>
  Array.from({ length: ACCOUNTS }, () => ({ keys: [newKey(), newKey()], quotas: [quota, 1_000_000] }))

const USUAL: Omit<WorkerOrder, 'accounts'> = {
  calls: 0,
  runMs: null,
  costs: [1, 3, 2],
  concurrency: 12,
  refundEvery: 0,
}

/** Units that were accepted, by account. */
function toldOf(all: readonly Accepted[], { keys: [owner = ''] }: WorkerAccount): number {
  return all.reduce((sum, { unitsOf }) => sum + (unitsOf[owner] ?? 0), 0)
}

describe.skipIf(!mayStartRedis())('four processes on a Redis Cluster', { timeout: 240_000 }, () => {
  let cluster: LocalRedisCluster
  let nodes: readonly Child[]

  beforeAll(async () => {
    cluster = await startRedisCluster()
    nodes = await startNodes({ postgresUrl: null, redisUrl: cluster.url })
  })

  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.kill('SIGTERM')))
    await cluster?.close()
  })

  const keyOf = (owner: string, counter: string) => `mdg:counter:{${owner}}:${counter}`

  /** Units that the first counter of an account holds in the cluster. */
  async function chargedOf({ keys: [owner = ''] }: WorkerAccount): Promise<number> {
    const text = await cluster.ask('get', keyOf(owner, owner))
    const [charged = 0, refunded = 0] = text.split(' ').map(Number)
    return charged - refunded
  }

  interface Figures {
    readonly requests: number
    readonly told: number
    readonly charged: number
    /** Per account, charged less told. */
    readonly differences: readonly number[]
    readonly highest: number
  }

  async function figuresOf(name: string, accounts: readonly WorkerAccount[], all: readonly Accepted[]) {
    const told = accounts.map((account) => toldOf(all, account))
    const charged = []
    for (const account of accounts) charged.push(await chargedOf(account))
    const sum = (figures: readonly number[]) => figures.reduce((a, b) => a + b, 0)
    const figures: Figures = {
      requests: sum(all.map(({ requests }) => requests)),
      told: sum(told),
      charged: sum(charged),
      differences: charged.map((units, index) => units - (told[index] ?? 0)),
      highest: Math.max(...charged),
    }
    const { differences, ...rest } = figures
    tell(`${name}: ${JSON.stringify({ ...rest, difference: sum(differences), accounts: accounts.length })}`)
    return figures
  }

  /** Errors with which the servers redirected clients so far. */
  async function redirections(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    for (const server of cluster.servers) {
      const stats = await server.ask('info', 'errorstats')
      for (const [, name = '', count] of stats.matchAll(/errorstat_(\w+):count=(\d+)/g))
        counts[name] = (counts[name] ?? 0) + Number(count)
    }
    return counts
  }

  it('accept exactly the quota of one account, with refunds', async () => {
    await expectExact({ postgresUrl: null, redisUrl: cluster.url })
  })

  it('accept exactly the quotas of many accounts on all masters', async () => {
    const accounts = accountsWith(100)
    const all = await runOrder(nodes, { ...USUAL, accounts, calls: 6_000, costs: [1, 3, 1, 1] })
    const { differences, told, highest } = await figuresOf('exactness', accounts, all)
    expect(differences).toEqual(accounts.map(() => 0))
    expect([told, highest]).toEqual([100 * ACCOUNTS, 100])
  })

  it('hold every charge once when a master hands over to its replica under load', async () => {
    const accounts = accountsWith(1_000_000)
    const running = runOrder(nodes, { ...USUAL, accounts, runMs: 6_000 })
    await sleep(1_500)
    const master = await cluster.masterOf(keyOf(accounts[0]?.keys[0] ?? '', ''))
    await (await cluster.replicaOf(master)).ask('cluster', 'failover')
    const { differences } = await figuresOf('CLUSTER FAILOVER', accounts, await running)
    expect(differences).toEqual(accounts.map(() => 0))
    await cluster.isWhole()
  })

  it('count no charge twice when a master is killed under load, and go on at its replica', async () => {
    const accounts = accountsWith(1_000_000)
    const key = keyOf(accounts[0]?.keys[0] ?? '', '')
    const running = runOrder(nodes, { ...USUAL, accounts, runMs: 12_000 })
    await sleep(1_500)
    const master = await cluster.masterOf(key)
    await master.kill()
    const { differences } = await figuresOf('SIGKILL of a master', accounts, await running)
    expect(differences.filter((difference) => difference > 0)).toEqual([])
    expect((await cluster.masterOf(key)).port).not.toBe(master.port)
    await master.start()
    await cluster.isWhole()
  })

  it.each([
    ['for less time than its replica waits', 900],
    ['until its replica has taken over', 5_000],
  ])('hold every charge once when a master is frozen %s', async (_, frozenMs) => {
    const accounts = accountsWith(1_000_000)
    const running = runOrder(nodes, { ...USUAL, accounts, runMs: frozenMs + 5_000 })
    await sleep(1_500)
    const master = await cluster.masterOf(keyOf(accounts[0]?.keys[0] ?? '', ''))
    master.freeze()
    await sleep(frozenMs)
    master.thaw()
    const { differences } = await figuresOf(`master frozen for ${frozenMs} ms`, accounts, await running)
    expect(differences).toEqual(accounts.map(() => 0))
    await cluster.isWhole()
  })

  it('hold every charge once when servers break connections again and again under load', async () => {
    const accounts = accountsWith(1_000_000)
    const running = runOrder(nodes, { ...USUAL, accounts, runMs: 8_000, refundEvery: 7 })
    let broken = 0
    for (let round = 0; round < 12; round++) {
      await sleep(400)
      const server = cluster.servers[round % cluster.servers.length]
      broken += Number(await server?.ask('client', 'kill', 'type', 'normal'))
    }
    const { differences } = await figuresOf(`${broken} connections broken`, accounts, await running)
    expect(broken).toBeGreaterThan(0)
    expect(differences).toEqual(accounts.map(() => 0))
  })

  it('hold every charge once while a slot moves key by key under load', async () => {
    const accounts = accountsWith(1_000_000)
    const owner = accounts[0]?.keys[0] ?? ''
    const before = await redirections()
    const running = runOrder(nodes, { ...USUAL, accounts, runMs: 6_000 })
    await sleep(1_000)
    await moveSlot(keyOf(owner, ''))
    const { differences } = await figuresOf('slot moved by hand', accounts, await running)
    const after = await redirections()
    tell(`redirections: ${JSON.stringify({ before, after })}`)
    expect(differences).toEqual(accounts.map(() => 0))
    expect(after.ASK ?? 0).toBeGreaterThan(before.ASK ?? 0)
    expect(after.MOVED ?? 0).toBeGreaterThan(before.MOVED ?? 0)
  })

  async function moveSlot(key: string): Promise<void> {
    const slot = await cluster.slotOf(key)
    const [from, to] = [await cluster.masterOf(key), await cluster.otherMaster(key)]
    const [fromId, toId] = [await cluster.idOf(from), await cluster.idOf(to)]
    await to.ask('cluster', 'setslot', slot, 'importing', fromId)
    await from.ask('cluster', 'setslot', slot, 'migrating', toId)
    for (;;) {
      const [moved = ''] = (await from.ask('cluster', 'getkeysinslot', slot, 1)).split('\n')
      if (moved === '') break
      await from.ask('migrate', '127.0.0.1', to.port, moved, 0, 5_000)
    }
    await sleep(300)
    for (const server of [to, from]) await server.ask('cluster', 'setslot', slot, 'node', toId)
  }

  it('hold every charge once while a thousand slots are resharded under load', async () => {
    const accounts = accountsWith(1_000_000)
    const running = runOrder(nodes, { ...USUAL, accounts, runMs: 10_000 })
    await sleep(1_000)
    const key = keyOf(accounts[0]?.keys[0] ?? '', '')
    const [from, to] = [await cluster.masterOf(key), await cluster.otherMaster(key)]
    const ends = ['--cluster-from', await cluster.idOf(from), '--cluster-to', await cluster.idOf(to)]
    await cluster.manage(
      'reshard',
      `127.0.0.1:${from.port}`,
      ...ends,
      '--cluster-slots',
      '1000',
      '--cluster-yes',
    )
    const { differences } = await figuresOf('reshard', accounts, await running)
    expect(differences).toEqual(accounts.map(() => 0))
  })
})
