/** Units to take from one counter. */
export interface Charge {
  /** Names meter, policy and window, so that a new window is a new counter. At most 255 characters. */
  readonly key: string
  /** Units that the counter admits. */
  readonly quota: number
  /** Whole units, at least 0. */
  readonly units: number
  /** From then on the counter may be forgotten. */
  readonly windowEnd: Date
}

export interface ConsumeResult {
  readonly accepted: boolean
  /** Units used per charge, in the order given: after the take, or the current figures when it was refused. */
  readonly used: readonly number[]
}

/**
 * What a counter holds. Used is what was charged less what was refunded. Both figures only rise: so of two reports of a
 * counter the higher figures are the newer ones, and a node that knows more than the store can put back what a crash lost.
 */
export interface Count {
  /** Units taken, those given back included. */
  readonly charged: number
  /** Units given back, at most those taken. */
  readonly refunded: number
}

export const EMPTY_COUNT: Count = { charged: 0, refunded: 0 }

/** What two reports of a counter say together. */
export function maxCount(a: Count, b: Count = EMPTY_COUNT): Count {
  if (a.charged >= b.charged && a.refunded >= b.refunded) return a
  return { charged: Math.max(a.charged, b.charged), refunded: Math.max(a.refunded, b.refunded) }
}

/** Units of a counter that are used. */
export function usedOf({ charged, refunded }: Count): number {
  return charged - refunded
}

export interface PeekOptions {
  /** In PostgreSQL: reads what the table holds, ahead of the calls and statements that wait. Elsewhere nothing waits long. */
  readonly isUrgent?: boolean
}

/**
 * Units used per window, exact under concurrency: what is used never exceeds the quota. A refused call did not fit at
 * some moment between a second before the call and its answer: a spent window is refused from memory for a second, so
 * that what another node gives back is seen within that time. A refusal leaves every counter as it was. Calls that one
 * node makes at the same time are judged in order of arrival where they touch a common counter (in memory only once it
 * was read; refunds come first), and each gets the figures after it alone; what one node reports of a counter falls by
 * refunds only. The keys of one call must differ from each other. A result that is known at once comes without a
 * promise: await it either way.
 */
export interface Counters {
  /** Takes the units from every counter, or from none when one of them lacks them. */
  consume(charges: readonly Charge[], now: Date): ConsumeResult | Promise<ConsumeResult>
  /**
   * Gives back units that `consume` accepted, or a part of them, once: call it with the same keys. Never fails and never
   * gives back more than was taken. Without the store the units may stay taken; one line in the log says so. A counter
   * whose window is over is left as it is.
   */
  refund(charges: readonly Charge[], now: Date): void | Promise<void>
  /** Units used per charge, in the order given; the charges' units and quota play no part. */
  peek(
    charges: readonly Charge[],
    now: Date,
    options?: PeekOptions,
  ): readonly number[] | Promise<readonly number[]>
  /** Whether Redis, which they are kept in, answers; absent where they are kept elsewhere. */
  readonly isRedisUp?: () => boolean
  /** Writes what is not written yet and releases timers and connections; the database stays open. */
  close(): Promise<void>
}

/** The charges that a refund changes: something to give back, in a window that is not over. */
export function refundable(charges: readonly Charge[], now: Date): readonly Charge[] {
  return charges.filter(({ units, windowEnd }) => units > 0 && windowEnd > now)
}
