import type { Logger } from '../platform/logger.js'

/** Why a process ends, for its log. */
type Reason = Readonly<Record<string, string>>

/**
 * Stops at the first SIGTERM or SIGINT, or when the answered function is called, then ends the process: with
 * `exitCode` (0 unless told), or with 1 where stopping fails. Whatever comes after the first is ignored: npm and the
 * primary pass a signal on that the process group got already, and the second must not cut the first one's work short.
 */
export function endOnce(stop: () => Promise<void>, log: Logger): (reason: Reason, exitCode?: number) => void {
  let isEnding = false
  const end = (reason: Reason, exitCode = 0) => {
    if (isEnding) return
    isEnding = true
    log.info(reason, 'stopping')
    stop().then(
      () => {
        log.info('stopped')
        process.exit(exitCode)
      },
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end({ signal }))
  return end
}
