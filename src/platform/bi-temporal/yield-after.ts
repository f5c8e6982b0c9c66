import { setTimeout as sleep } from 'node:timers/promises'

/** Longest pause: a step that waited has already let other work run. */
const MAX_PAUSE_MS = 20

/**
 * Runs a step of long work, then pauses for as long as the step took. PGlite answers without yielding to the event loop, so
 * consecutive steps would let no request be read, and a request needs several iterations of the loop.
 */
export async function yieldAfter<T>(step: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await step()
  await sleep(Math.min(performance.now() - began, MAX_PAUSE_MS))
  return result
}
