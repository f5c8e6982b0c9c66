const DAY_MS = 86_400_000

/** The date some days before today (UTC), as `2026-11-22`. */
export function daysAgo(days: number): string {
  return isoDay(Date.now() - days * DAY_MS)
}

/** The date some days before a date. */
export function daysBefore(date: string, days: number): string {
  return isoDay(Date.parse(date) - days * DAY_MS)
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
