import { startOfHour } from '../../core/time.js'
import { barsKeptFrom, FIRST_REACH_MS, OVERLAP_MS } from '../datasets/market/candles-policy.js'

/** Where to continue after bars up to `end`: shortly before, because venues correct bars; a day ago if there is no end. */
export function resumeAt(end: Date | null | undefined, now: Date): Date {
  if (end == null) return startOfHour(new Date(now.getTime() - FIRST_REACH_MS))
  return new Date(Math.max(end.getTime() - OVERLAP_MS, barsKeptFrom(now).getTime()))
}
