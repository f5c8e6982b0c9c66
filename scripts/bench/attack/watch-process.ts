import { type Health, probeHealth } from '../shared/health-probe.js'
import { MemorySampler, residentBytes } from '../shared/resident-memory.js'
import type { ServerProcess } from '../shared/server-process.js'

/** The state of a process during an attack. */
export interface WatchedRun<Result> {
  readonly result: Result
  readonly bytesBefore: number | null
  readonly peakBytes: number
  /** The longest time of /healthz is how long the event loop was blocked. */
  readonly health: readonly Health[]
  /** How the process ended; null if it did not. */
  readonly ended: string | null
}

export async function watchProcess<Result>(
  server: ServerProcess,
  work: () => Promise<Result>,
): Promise<WatchedRun<Result>> {
  const bytesBefore = residentBytes(server.pid)
  const probe = await probeHealth(server.port)
  const memory = new MemorySampler(server.pid)
  let result: Result
  try {
    result = await work()
  } catch (error) {
    memory.stop()
    await probe.stop()
    throw error
  }
  const health = await probe.stop()
  return { result, bytesBefore, peakBytes: memory.stop(), health, ended: server.ended() }
}
