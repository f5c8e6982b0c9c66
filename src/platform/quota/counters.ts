/** Units to take from one counter. */
export interface Charge {
  /** Names meter, policy and window, so that a new window is a new counter. At most 255 characters. */
  readonly key: string
  /** The account, or the name of a counter of all accounts. The charges of one call have the same one. */
  readonly owner: string
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
 * A counter. Its use is `charged - refunded`. Both figures only rise, so of two reports the higher figures are the newer
 * ones, and a node that knows higher figures than the store can restore what a crash lost.
 */
export interface Count {
  /** Units taken, those given back included. */
  readonly charged: number
  /** Units given back, at most those taken. */
  readonly refunded: number
}

export const EMPTY_COUNT: Count = { charged: 0, refunded: 0 }

/** The newer figures of two reports of one counter. */
export function maxCount(a: Count, b: Count = EMPTY_COUNT): Count {
  if (a.charged >= b.charged && a.refunded >= b.refunded) return a
  return { charged: Math.max(a.charged, b.charged), refunded: Math.max(a.refunded, b.refunded) }
}

/** Units of a counter that are used. */
export function usedOf({ charged, refunded }: Count): number {
  return charged - refunded
}

export interface PeekOptions {
  /** In PostgreSQL: reads the table ahead of waiting calls and statements. Elsewhere no call waits long. */
  readonly isUrgent?: boolean
}

/**
 * Units used per window, exact under concurrency: the use never exceeds the quota.
 *
 * A used-up window is refused from memory for one second, so units that another node gave back are seen within that time.
 * A refused call changes no counter. Calls that one node makes at the same time, and that share a counter, are decided in
 * order of arrival (in memory, after its first read; refunds first), and each gets the figures after itself. What one node
 * reports of a counter decreases by refunds only. The keys of one call must differ. A result that is known at once is
 * returned without a promise: await it either way.
 */
export interface Counters {
  /** Charges the units to every counter, or to none when one of them has too few left. */
  consume(charges: readonly Charge[], now: Date): ConsumeResult | Promise<ConsumeResult>
  /**
   * Gives back units that `consume` accepted, or a part of them, once: call it with the same keys. It never fails and never
   * gives back more than was charged. Without the store the units may stay charged; the log says so in one line. A counter
   * whose window has ended is not changed.
   */
  refund(charges: readonly Charge[], now: Date): void | Promise<void>
  /** Units used per charge, in the order given; the charges' units and quota are ignored. */
  peek(
    charges: readonly Charge[],
    now: Date,
    options?: PeekOptions,
  ): readonly number[] | Promise<readonly number[]>
  /** Whether Redis answers; only for counters in Redis. */
  readonly isRedisUp?: () => boolean
  /** Writes pending figures and releases timers and connections; the database stays open. */
  close(): Promise<void>
}

/** The charges that a refund changes: more than 0 units, in a window that has not ended. */
export function refundable(charges: readonly Charge[], now: Date): readonly Charge[] {
  return charges.filter(({ units, windowEnd }) => units > 0 && windowEnd > now)
}
