/** Shapes of the ids that the SEC gives to series and classes of funds. */
export const SERIES_ID = /^S\d{9}$/
export const CLASS_ID = /^C\d{9}$/

/** Whether a ticker is that of a mutual fund, which no exchange trades: Nasdaq gives it five letters of which the last is an X. */
export function isMutualFundTicker(ticker: string): boolean {
  return /^[A-Z]{4}X$/i.test(ticker)
}
