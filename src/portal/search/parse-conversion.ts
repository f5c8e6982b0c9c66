/** An amount in one currency that is wanted in another one. */
export interface WantedConversion {
  readonly amount: string
  readonly from: string
  readonly to: string
}

/** `EUR/JPY`, `EURUSD`, `250 EUR in USD`, `1,000.50 usd to eur`. */
const CONVERSION =
  /^(?:(?<amount>\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?) ?)?(?<from>[a-z]{3})(?: ?[/-] ?| (?:in|to|into|as|vs) | )?(?<to>[a-z]{3})$/i

/** The conversion that a text asks for, of the amount 1 if it names none; null for another text. */
export function parseConversion(text: string, codes: ReadonlySet<string>): WantedConversion | null {
  const found = CONVERSION.exec(text.trim().replace(/\s+/g, ' '))?.groups
  const from = found?.from?.toUpperCase()
  const to = found?.to?.toUpperCase()
  if (from === undefined || to === undefined || from === to || !codes.has(from) || !codes.has(to)) return null
  return { amount: found?.amount?.replace(/[, ]/g, '') ?? '1', from, to }
}
