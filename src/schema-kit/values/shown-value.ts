const MAX_SHOWN_TEXT = 60

/** Formats a value for an error message: shortText, and containers by kind only. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value !== null && typeof value === 'object') return 'an object'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(shortText(value))
}

export function shortText(text: string): string {
  return text.length > MAX_SHOWN_TEXT ? `${text.slice(0, MAX_SHOWN_TEXT)}…` : text
}
