import { exponentialBackOffMs } from '../../core/exponential-back-off.js'
import { MAX_REST_MS } from '../../platform/http-client/request-turns.js'

const RETRY = { firstMs: 15_000, maxMs: 15 * 60_000 }

/**
 * The wait after that many failed attempts: 15 s, 30 s, 1 min … 15 min, reduced by up to half at random, so that nodes and
 * jobs do not retry at the same time; longer if the provider asked for it. `random`: from 0 to 1.
 */
export function backOffMs(attempts: number, retryAfterMs: number | null, random: number): number {
  const delayMs = exponentialBackOffMs(attempts, RETRY) * (1 - random / 2)
  return Math.max(delayMs, Math.min(retryAfterMs ?? 0, MAX_REST_MS))
}
