import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Child, startChild } from '../processes/child.js'
import { newKey } from './counter-flavours.js'
import type { Accepted, WorkerAccount, WorkerOrder, WorkerStore } from './counter-worker.js'

const WORKER = resolve(import.meta.dirname, 'counter-worker.ts')

/** Four nodes in processes of their own, on the same store. */
export async function startNodes(
  store: WorkerStore,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Child[]> {
  const nodes = await Promise.all(
    Array.from({ length: 4 }, () => startChild(WORKER, [JSON.stringify(store)], env)),
  )
  for (const node of nodes) expect(await node.line()).toBe('ready')
  return nodes
}

/** All nodes run the order at once; what each of them accepted. */
export async function runOrder(nodes: readonly Child[], order: WorkerOrder): Promise<readonly Accepted[]> {
  for (const node of nodes) node.send(`${JSON.stringify(order)}\n`)
  const all: Accepted[] = []
  for (const node of nodes) all.push(JSON.parse(await node.line()) as Accepted) // printed by the worker
  return all
}

/** All nodes take from the same counters at once, 1,600 calls in all; what they accepted together. */
async function hammer(
  nodes: readonly Child[],
  { keys, quotas, ...order }: WorkerAccount & Pick<WorkerOrder, 'costs'> & Partial<WorkerOrder>,
) {
  const usual = { calls: 400, runMs: null, concurrency: 20, refundEvery: 0 }
  const sum = { units: 0, calls: 0 }
  for (const accepted of await runOrder(nodes, { ...usual, accounts: [{ keys, quotas }], ...order })) {
    sum.units += accepted.units
    sum.calls += accepted.calls
  }
  return sum
}

async function expectExactWithRefunds(nodes: readonly Child[]): Promise<void> {
  // Far below the quota: what is used is what was accepted less what was given back.
  const wide = { keys: [newKey(), newKey()], quotas: [100_000, 100_000], costs: [7, 2], refundEvery: 3 }
  const left = await hammer(nodes, wide)
  expect(await hammer(nodes, { ...wide, quotas: [left.units, 100_000], costs: [1] })).toEqual({
    units: 0,
    calls: 0,
  })
  expect(
    (await hammer(nodes, { ...wide, quotas: [left.units + 5, 100_000], refundEvery: 0, costs: [1] })).units,
  ).toBe(5)
  // At the quota: never more, and what is given back is free for others, a second later on every node.
  const tight = { keys: [newKey(), newKey()], quotas: [500, 100_000], costs: [3, 1] }
  const first = await hammer(nodes, { ...tight, refundEvery: 4 })
  expect(first.units).toBeLessThanOrEqual(500)
  await sleep(1_100)
  const rest = await hammer(nodes, { ...tight, costs: [1], refundEvery: 0 })
  expect(first.units + rest.units).toBe(500)
}

/** Four nodes on one store admit exactly the quota, with calls of several costs and with refunds. */
export async function expectExact(
  store: WorkerStore,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const nodes = await startNodes(store, env)
  const unit = await hammer(nodes, { keys: [newKey(), newKey()], quotas: [777, 5_000], costs: [1] })
  expect(unit).toEqual({ units: 777, calls: 777 })
  // Calls of 1 use up whatever calls of 5 leave open.
  const mixed = await hammer(nodes, { keys: [newKey(), newKey()], quotas: [5_000, 603], costs: [5, 1] })
  expect(mixed.units).toBe(603)
  await expectExactWithRefunds(nodes)
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')))
}
