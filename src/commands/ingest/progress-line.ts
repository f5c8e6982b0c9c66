import { MINUTE_MS, toIsoDate } from '../../core/time.js'
import type { LoadProgress } from '../../ingest/candles/items/load-counts.js'

/** Windows of assets between two lines without a terminal. */
const WINDOWS_PER_LINE = 100

/** Milliseconds between two updates on a terminal. */
const REDRAW_MS = 100

/** An exchange that does not answer, and the time until it is asked again. */
interface Pause {
  readonly venue: string
  readonly ms: number
  readonly cause: string
}

/** The output for progress: the error output of a process. */
interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Shows the progress of loading candles: on a terminal a line that is updated, otherwise a line for every hundred windows. */
export function progressLine(output: Output) {
  let drawnAtMs = Number.NEGATIVE_INFINITY
  return {
    show: (progress: LoadProgress): void => {
      const isLast = progress.done === progress.total
      if (output.isTTY !== true) {
        if (isLast || progress.done % WINDOWS_PER_LINE === 0) output.write(`${loadProgressText(progress)}\n`)
      } else if (isLast || progress.elapsedMs - drawnAtMs >= REDRAW_MS) {
        drawnAtMs = progress.elapsedMs
        output.write(`\r\u001b[K${loadProgressText(progress)}`)
      }
    },
    /** Writes a separate line. */
    showPause: ({ venue, ms, cause }: Pause): void => {
      const text = `${venue} is asked again in ${Math.ceil(ms / 1_000)} s: ${cause}`
      output.write(`${output.isTTY === true ? '\r\u001b[K' : ''}${text}\n`)
    },
    end: (): void => {
      if (output.isTTY === true) output.write('\r\u001b[K')
    },
  }
}

/** `2021-03-05 bitcoin: 1,200 of 1,826 (66 %), 58 a minute, 11 min left`. */
export function loadProgressText({ at, slug, done, requested, total, elapsedMs }: LoadProgress): string {
  const share = Math.floor((done / total) * 100)
  const head = `${toIsoDate(at)} ${slug}: ${figure(done)} of ${figure(total)} (${share} %)`
  // Skipped windows take no time, so they do not count for the estimate.
  if (requested === 0) return `${head}, all already complete`
  const perMinute = (requested / Math.max(1, elapsedMs)) * MINUTE_MS
  return `${head}, ${figure(Math.round(perMinute))} a minute, ${durationText((total - done) / perMinute)} left`
}

function figure(value: number): string {
  return value.toLocaleString('en-US')
}

function durationText(minutes: number): string {
  if (minutes < 1) return 'less than 1 min'
  const whole = Math.ceil(minutes)
  return whole < 60 ? `${whole} min` : `${figure(Math.floor(whole / 60))} h ${whole % 60} min`
}
