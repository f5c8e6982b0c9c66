export const CONVERSION = `query Convert($amount: String!, $from: String!, $to: [String!]!) {
  forex_convert(amount: $amount, from: $from, to: $to) {
    data { conversions { currency amount rate date method } }
  }
}`

export interface ConvertedAmount {
  readonly currency: string
  readonly amount: string
  readonly rate: number
  readonly date: string
  readonly method: string
}

export interface ConversionAnswer {
  readonly forex_convert: { readonly data: { readonly conversions: readonly ConvertedAmount[] } }
}
