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

/** The month of a time in seconds since 1970: `2026-11`. */
export function toMonth(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 7)
}

/** `14:05 UTC`. */
export function formatClockTime(iso: string): string {
  return `${iso.slice(11, 16)} UTC`
}

/** How long from one instant to another: `3 d 4 h`, `12 min`. */
export function formatDuration(from: string, to: string): string {
  const minutes = Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 60_000))
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24]
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`
  const rest = minutes % 60
  if (hours > 0) return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
  return `${minutes} min`
}

/** At most `digits` significant digits, with thousands separators. */
export function formatFigure(value: number | string | null, digits = 7): string {
  if (value === null) return '–'
  return new Intl.NumberFormat('en-GB', { maximumSignificantDigits: digits }).format(Number(value))
}

/** A count with its noun: `1 unit`, `1,234 units`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatFigure(count, 21)} ${count === 1 ? noun : `${noun}s`}`
}

/** A price with two decimals, below 1 with four significant digits. */
export function formatPrice(value: number | null): string {
  if (value === null) return '–'
  const digits =
    Math.abs(value) < 1
      ? { minimumSignificantDigits: 4, maximumSignificantDigits: 4 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  return new Intl.NumberFormat('en-GB', digits).format(value)
}

/** Formats a fraction as a percentage. */
export function formatPercent(fraction: number | string | null, digits = 2): string {
  if (fraction === null) return '–'
  const options = { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  return new Intl.NumberFormat('en-GB', options).format(Number(fraction))
}

/** A fraction as a percentage with its sign, such as `+1.20%` or `−0.35%`; zero has none. */
export function formatSignedPercent(fraction: number, digits = 2): string {
  const text = formatPercent(fraction, digits)
  if (Number.parseFloat(text) === 0) return text.replace('-', '')
  return fraction > 0 ? `+${text}` : text.replace('-', '−')
}

/** Four significant digits and a word for the size, such as `1.580tn`; below 1,000 at most four. */
export function formatCompact(value: number | string | null): string {
  if (value === null) return '–'
  const digits = Math.abs(Number(value)) < 1000 ? 1 : 4
  const options = { minimumSignificantDigits: digits, maximumSignificantDigits: 4 } as const
  return new Intl.NumberFormat('en-GB', { notation: 'compact', ...options }).format(Number(value))
}

/** A difference with its sign: `+0.7`. */
export function formatChange(value: number | null, digits = 4): string {
  if (value === null) return '–'
  const options = { maximumSignificantDigits: digits, signDisplay: 'exceptZero' } as const
  return new Intl.NumberFormat('en-GB', options).format(value)
}
