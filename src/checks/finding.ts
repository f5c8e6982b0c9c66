/** What is wrong with an installation, or that a part of it is off. */
export type FindingStatus = 'ok' | 'off' | 'warning' | 'problem'

/** One state in figures and words, e.g. of a job. Names are those of the JSON for operators. */
export type Facts = Readonly<Record<string, string | number | boolean | Date | null>>

/** The result of one check. */
export interface Finding {
  /** Name of the check, e.g. migrations. */
  readonly check: string
  readonly status: FindingStatus
  /** The state, or the problem. */
  readonly message: string
  /** What the operator can do; null without a problem. */
  readonly advice: string | null
  /** The state of one job, exchange, provider or dataset, for the lists of operators and for gauges. */
  readonly facts?: Facts
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null }
}

/** The operator does not use this part. `advice` says how to switch it on. */
export function off(check: string, message: string, advice: string | null = null): Finding {
  return { check, status: 'off', message, advice }
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, status: 'warning', message, advice }
}

export function problem(check: string, message: string, advice: string): Finding {
  return { check, status: 'problem', message, advice }
}

/** Whole seconds since an instant; 0 for one in the future of this clock. */
export function ageSeconds(at: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1_000))
}

export function noRequestsText(until: Date, cause: string | null): string {
  return `gets no requests before ${until.toISOString()}: ${cause ?? NO_REASON}`
}

export const NO_REASON = 'no reason was recorded'

/** Formats a duration. */
export function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}
