const monthText = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The days of a month, such as `2026-11`, as dates. */
export function listDays(month: string): readonly string[] {
  const count = new Date(Date.parse(`${addMonths(month, 1)}-01`) - 1).getUTCDate()
  return Array.from({ length: count }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`)
}

/** The days of a month in weeks from Monday to Sunday. Places before the first and after the last day are null. */
export function listWeeks(month: string): readonly (readonly (string | null)[])[] {
  const days = listDays(month)
  const padded = [...Array<null>(toWeekday(days[0] ?? '')).fill(null), ...days]
  return Array.from({ length: Math.ceil(padded.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => padded[7 * week + at] ?? null),
  )
}

/** 0 is Monday, 6 is Sunday. */
export function toWeekday(day: string): number {
  return (new Date(day).getUTCDay() + 6) % 7
}

export function isSaturdayOrSunday(day: string): boolean {
  return toWeekday(day) >= 5
}

export function addMonths(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number)
  return new Date(Date.UTC(year ?? 0, (number ?? 1) - 1 + months)).toISOString().slice(0, 7)
}

/** `November 2026`. */
export function formatMonth(month: string): string {
  return monthText.format(new Date(`${month}-01`))
}
