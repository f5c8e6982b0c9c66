import { MINUTE_MS } from '../../../core/time.js'

/** A month of minutes at the smallest page of any venue (100 rows) has 432 pages. */
const MAX_WINDOWS = 500

/** Starts of the first and the last bar of a page, both included. */
export interface MinuteWindow {
  readonly firstMs: number
  readonly lastMs: number
}

/** Pages of at most `rows` minutes for the bars that start in [from, to), oldest first. */
export function minuteWindows(from: Date, to: Date, rows: number): readonly MinuteWindow[] {
  const first = Math.ceil(from.getTime() / MINUTE_MS)
  const end = Math.ceil(to.getTime() / MINUTE_MS)
  const count = Math.max(0, Math.ceil((end - first) / rows))
  if (!(count <= MAX_WINDOWS)) throw new RangeError(`${count} pages are more than ${MAX_WINDOWS}`)
  return Array.from({ length: count }, (_, page) => ({
    firstMs: (first + page * rows) * MINUTE_MS,
    lastMs: (Math.min(first + (page + 1) * rows, end) - 1) * MINUTE_MS,
  }))
}
