const DAY_MS = 86_400_000

/** The date some days before today (UTC), as `2026-11-22`. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}
