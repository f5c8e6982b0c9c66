/** The result of one check. */
export interface Finding {
  /** Name of the check, e.g. migrations. */
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  /** The state, or the problem. */
  readonly message: string
  /** What the operator can do; null without a problem. */
  readonly advice: string | null
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null }
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, status: 'warning', message, advice }
}

export function problem(check: string, message: string, advice: string): Finding {
  return { check, status: 'problem', message, advice }
}

/** Formats a duration. */
export function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}
