import { setTimeout as sleep } from 'node:timers/promises'

/** Longest pause: a step that waited for others has let them run already. */
const MAX_PAUSE_MS = 20

/**
 * Runs a step of long work, then leaves the process to others for as long as the step took. PGlite answers without a turn
 * of the event loop, so steps in a row would let no request be read, and a request needs several turns.
 */
export async function yieldAfter<T>(step: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await step()
  await sleep(Math.min(performance.now() - began, MAX_PAUSE_MS))
  return result
}
