import { noise } from '../../seed/values/noise.js'

/** Synthetic share price in a month (YYYY-MM), USD: a level by company that rises by about 6 % a year. */
export function companyLevel(slug: string, month: string): number {
  const years = Number(month.slice(0, 4)) + Number(month.slice(5, 7)) / 12 - 2020
  const level = 30 + 470 * noise(`${slug} share price`)
  const price = level * 1.06 ** years * (0.95 + 0.1 * noise(`${slug} ${month} share price`))
  return Number(price.toFixed(2))
}

/** Synthetic shares outstanding after a year: one per cent fewer each year. */
export function syntheticShares(slug: string, year: number): number {
  const millions = 300 + 9_000 * noise(`${slug} shares`) ** 2
  return Math.round(millions * 0.99 ** (year - 2020)) * 1_000_000
}
