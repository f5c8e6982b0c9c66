const dateTime = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** `22 Nov 2026, 14:05 UTC`. */
export function formatInstant(iso: string | null): string {
  return iso === null ? '–' : `${dateTime.format(new Date(iso))} UTC`
}

/** `22 Nov 2026`. */
export function formatDay(iso: string): string {
  return date.format(new Date(iso))
}

/** `14:05 UTC`. */
export function formatClockTime(iso: string): string {
  return `${iso.slice(11, 16)} UTC`
}

/** At most `digits` significant digits, with thousands separators. */
export function formatFigure(value: number | string | null, digits = 7): string {
  if (value === null) return '–'
  return new Intl.NumberFormat('en-GB', { maximumSignificantDigits: digits }).format(Number(value))
}

/** Formats a fraction as a percentage. */
export function formatPercent(fraction: number | string | null, digits = 2): string {
  if (fraction === null) return '–'
  const options = { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  return new Intl.NumberFormat('en-GB', options).format(Number(fraction))
}

/** Four significant digits and a word for the size, such as `1.583tn`. */
export function formatCompact(value: number | string | null): string {
  if (value === null) return '–'
  return new Intl.NumberFormat('en-GB', { notation: 'compact', maximumSignificantDigits: 4 }).format(
    Number(value),
  )
}

/** A difference with its sign: `+0.7`. */
export function formatChange(value: number | null, digits = 4): string {
  if (value === null) return '–'
  const options = { maximumSignificantDigits: digits, signDisplay: 'exceptZero' } as const
  return new Intl.NumberFormat('en-GB', options).format(value)
}
