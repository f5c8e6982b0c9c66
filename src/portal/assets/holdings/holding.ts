export interface Holding {
  readonly position: number
  readonly name: string
  readonly ticker: string | null
  readonly isin: string | null
  readonly figi: string | null
  readonly country: string | null
  /** Fraction of the net assets; negative for a short position. */
  readonly weight: number
  readonly shares: number | null
  readonly market_value_usd: number | null
  readonly report_date: string
  readonly instrument: { readonly slug: string } | null
}

/** What identifies a holding in two reports of a fund. */
export type HoldingIdentity = Pick<Holding, 'name' | 'isin' | 'figi'>

export function toHoldingKey({ name, isin, figi }: HoldingIdentity): string {
  return isin ?? figi ?? name
}
