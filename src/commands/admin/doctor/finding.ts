/** What one check of the doctor found. */
export interface Finding {
  /** Name of the check, e.g. migrations. */
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  /** How it is, or what is wrong. */
  readonly message: string
  /** What to do about it; null when all is well. */
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

/** A duration for people. */
export function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}
