/** Seconds since 1970 of a day or an instant, as charts take them. */
export function toSeconds(text: string): number {
  return Date.parse(text) / 1000
}
