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

export interface Taken {
  readonly accepted: boolean
  /** Units used per charge, in the order given: after the take, or as they stand when it was refused. */
  readonly used: readonly number[]
}

/**
 * Units used per window, exact under concurrency: what is accepted never exceeds the quota, and what is refused did not
 * fit at some moment between the call and its answer. A refusal leaves every counter as it was. Calls that one node makes
 * at the same time are judged in order of arrival where they touch a common counter (in memory only once it was read),
 * each told how the counters stand after it alone; what one node reports of a counter never falls. The keys of one call
 * must differ from each other. An answer that is known at once comes without a promise: await it either way.
 */
export interface Counters {
  /** Takes the units from every counter, or from none when one of them lacks them. */
  take(charges: readonly Charge[], now: Date): Taken | Promise<Taken>
  /** Units used per charge, in the order given; the charges' units and quota play no part. */
  peek(charges: readonly Charge[], now: Date): readonly number[] | Promise<readonly number[]>
  /** Writes what is not written yet and lets go of timers and connections; the database stays open. */
  close(): Promise<void>
}
