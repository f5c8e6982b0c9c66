import { Agent } from 'node:http'
import { cpuMicroseconds } from '../shared/cpu.js'
import type { Target } from '../shared/target.js'
import { countOutcomes, type Outcomes } from './count-outcomes.js'
import { postBody } from './post.js'
import { type WatchedRun, watchProcess } from './watch-process.js'

/** Requests that one address may send in a minute. */
const BODIES = 600
const CLIENTS = 8
const MEMBERS = 17_000
const ANSWER_MS = 60_000

/** A body of 240 kB with many members, which a parser compares with each other. */
const BODY = JSON.stringify({
  query: '{ me { id } }',
  variables: Object.fromEntries(Array.from({ length: MEMBERS }, (_, at) => [`m${at}`, at])),
})

export interface BodiesResult {
  readonly outcomes: Outcomes
  /** Processor time of the gateway. */
  readonly cpuSeconds: number
}

/** Posts large GraphQL bodies without a key. */
export async function attackWithBodies(target: Target): Promise<WatchedRun<BodiesResult>> {
  const server = await target.start()
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  try {
    return await watchProcess(server, async () => {
      const before = cpuMicroseconds(server.pid) ?? 0
      const results = await Promise.all(
        Array.from({ length: BODIES }, () =>
          postBody({ port: server.port, agent, body: BODY, timeoutMs: ANSWER_MS }),
        ),
      )
      return {
        outcomes: countOutcomes(results),
        cpuSeconds: ((cpuMicroseconds(server.pid) ?? 0) - before) / 1_000_000,
      }
    })
  } finally {
    agent.destroy()
    await server.stop()
  }
}
