import { setReadingTimeout } from './reading-timeout.js'

/** How long a command may take: far above Redis' usual 0.2 ms, far below what a caller would notice as an outage. */
export const REDIS_ANSWER_MS = 250

/** The answer is late and may be lost. */
export class OverdueAnswer extends Error {}

/** The answer belongs to another command, so an earlier one was lost. */
export class ForeignAnswer extends Error {}

/** How often an answer is waited for again while its server answers others: a second in all, as for a silent connection. */
const BUSY_WAITS = 3

/**
 * The answer, or an `OverdueAnswer` when it is late. Time in which this process was blocked hardly counts (`setReadingTimeout`).
 * The answer of a server that is busy is waited for longer.
 */
export function answerWithin<T>(
  ms: number,
  answer: Promise<T>,
  isBusy: () => boolean = () => false,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let waits = 0
    const judge = () => {
      waits += 1
      if (waits <= BUSY_WAITS && isBusy()) cancel = setReadingTimeout(ms, judge)
      else reject(new OverdueAnswer(`no answer in ${waits * ms} ms`))
    }
    let cancel = setReadingTimeout(ms, judge)
    answer.then(resolve, reject).finally(() => cancel())
  })
}
