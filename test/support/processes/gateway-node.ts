import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, startChild } from './child.js'

const WORKER = resolve(import.meta.dirname, 'node-worker.ts')

/** One gateway of several on the same stores, in a process of its own. */
export interface Node {
  readonly child: Child
  readonly url: string
}

export async function startNode(env: Readonly<Record<string, string>>): Promise<Node> {
  const child = await startChild(WORKER, [JSON.stringify(env)])
  return { child, url: `http://127.0.0.1:${await child.line()}` }
}

const HOUR_MS = 3_600_000
const MIN_LEFT_MS = 60_000

/** What is counted next must fall into one hour of the clock. */
export async function waitForTimeInHour(): Promise<void> {
  const left = HOUR_MS - (Date.now() % HOUR_MS)
  if (left < MIN_LEFT_MS) await sleep(left)
}
