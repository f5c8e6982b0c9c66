import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Health, probeHealth } from '../shared/health-probe.js'
import { MemorySampler, residentBytes } from '../shared/resident-memory.js'
import type { Target } from '../shared/target.js'
import { documentOf } from './documents.js'
import { post } from './post.js'

export interface ManyDocuments {
  /** Number of sent documents, each sent `repeats` times, and their total bytes. */
  readonly documents: number
  readonly bytes: number
  readonly seconds: number
  /** Number of responses by status, and of broken connections by code. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly bytesBefore: number | null
  readonly peakBytes: number
  /** Memory some seconds after the last response; null if the process has ended. */
  readonly bytesAfter: number | null
  /** How the process ended; null if it did not. */
  readonly ended: string | null
  readonly health: readonly Health[]
}

const CLIENTS = 8
const ANSWER_MS = 60_000
const SETTLE_MS = 5_000

/** Sends different documents without a key, each several times, until all are sent, the time is over or the process ends. */
export async function attackWithDocuments(
  target: Target,
  given: { readonly documents: number; readonly repeats: number; readonly seconds: number },
): Promise<ManyDocuments> {
  const server = await target.start()
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const outcomes: Record<string, number> = {}
  let [next, bytes] = [0, 0]
  const startedAt = performance.now()
  const isOver = () => (performance.now() - startedAt) / 1000 > given.seconds || server.ended() !== null

  const client = async () => {
    while (next < given.documents && !isOver()) {
      const query = documentOf(next++)
      for (let repeat = 0; repeat < given.repeats; repeat++) {
        const { outcome } = await post({ port: server.port, agent, query, timeoutMs: ANSWER_MS })
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        bytes += query.length
      }
    }
  }

  try {
    // Warms up with a document that differs from all others.
    await post({ port: server.port, agent, query: '{ ai_methodology { disclaimer } }', timeoutMs: ANSWER_MS })
    const bytesBefore = residentBytes(server.pid)
    const probe = await probeHealth(server.port)
    const memory = new MemorySampler(server.pid)
    await Promise.all(Array.from({ length: CLIENTS }, client))
    const seconds = (performance.now() - startedAt) / 1000
    const health = await probe.stop()
    await sleep(SETTLE_MS)
    const peakBytes = memory.stop()
    const bytesAfter = residentBytes(server.pid)
    return {
      ...{ documents: next, bytes, seconds, outcomes, health },
      ...{ bytesBefore, peakBytes, bytesAfter, ended: server.ended() },
    }
  } finally {
    agent.destroy()
    await server.stop()
  }
}
