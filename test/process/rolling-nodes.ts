import { setTimeout as sleep } from 'node:timers/promises'
import { type Gateway, type StartOptions, startGateway } from './gateway.js'

type Env = Readonly<Record<string, string>>

/** Nodes on one database behind a balancer that sends requests only to those that are in. */
export interface RollingNodes {
  readonly gateways: readonly Gateway[]
  /** Restarts each node with these settings, one after the other; calls `between` with each one. */
  restart(env: Env, between?: (restarted: Gateway) => Promise<void>, options?: StartOptions): Promise<void>
  /** Sends requests of `ask` all the while, from several clients; `ask` throws for an answer that is wrong. */
  underRequests<T>(ask: (gateway: Gateway) => Promise<void>, work: () => Promise<T>): Promise<T>
  /** Requests that were answered as wanted. */
  answered(): number
}

const CLIENTS = 3
const PAUSE_MS = 10

export async function startNodes(env: Env, count = 2): Promise<RollingNodes> {
  const gateways = await Promise.all(Array.from({ length: count }, () => startGateway(env)))
  const out = new Set<number>()
  const open = gateways.map(() => 0)
  let [answered, turn] = [0, 0]
  const next = () => {
    do turn += 1
    while (out.has(turn % count))
    return turn % count
  }
  const restartOne = async (at: number, next: Env, options: StartOptions) => {
    out.add(at)
    while ((open[at] ?? 0) > 0) await sleep(PAUSE_MS)
    await gateways[at]?.stop('SIGTERM')
    const restarted = await startGateway(next, options)
    gateways[at] = restarted
    out.delete(at)
    return restarted
  }
  return {
    gateways,
    answered: () => answered,
    restart: async (next, between = async () => {}, options = {}) => {
      for (const at of gateways.keys()) {
        await between(await restartOne(at, next, options))
      }
    },
    underRequests: async (ask, work) => {
      let isOver = false
      const client = async () => {
        while (!isOver) {
          const at = next()
          const gateway = gateways[at]
          if (gateway === undefined) throw new Error('a node is missing')
          open[at] = (open[at] ?? 0) + 1
          await ask(gateway).finally(() => {
            open[at] = (open[at] ?? 0) - 1
          })
          answered += 1
          await sleep(PAUSE_MS)
        }
      }
      const clients = Promise.all(Array.from({ length: CLIENTS }, client))
      const result = await Promise.race([
        work(),
        clients.then(() => Promise.reject(new Error('never'))),
      ]).finally(() => {
        isOver = true
      })
      await clients
      return result
    },
  }
}
