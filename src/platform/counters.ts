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
 * Units used per window, exact under concurrency. A refusal leaves every counter as it was, and what one node reports
 * of a counter never falls. The keys of one call must differ from each other.
 */
export interface Counters {
  /** Takes the units from every counter, or from none when one of them lacks them. */
  take(charges: readonly Charge[], now: Date): Promise<Taken>
  /** Units used per charge, in the order given; the charges' units and quota play no part. */
  peek(charges: readonly Charge[], now: Date): Promise<readonly number[]>
  /** Writes what is not written yet and lets go of timers and connections; the database stays open. */
  close(): Promise<void>
}
