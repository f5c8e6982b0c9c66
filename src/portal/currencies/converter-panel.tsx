import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'

const CONVERSION = `query Convert($amount: String!, $from: String!, $to: [String!]!) {
  forex_convert(amount: $amount, from: $from, to: $to) {
    data { conversions { currency amount rate date method } }
  }
}`

/** How the rate of a conversion was obtained, by the method that the API names. */
const METHODS: Readonly<Record<string, string>> = {
  published: 'published by the source',
  inverse: 'the inverse of the published rate',
  cross: 'computed from two published rates',
}

interface Conversion {
  readonly currency: string
  readonly amount: string
  readonly rate: number
  readonly date: string
  readonly method: string
}

interface Answer {
  readonly forex_convert: { readonly data: { readonly conversions: readonly Conversion[] } }
}

export interface PairProps {
  readonly from: string
  readonly to: string
}

/** Converts an amount by the newest rate. */
export function ConverterPanel({ from, to }: PairProps): JSX.Element {
  const [amount, setAmount] = useState('100')
  return (
    <QueryPanel<Answer>
      title="Convert"
      isWide
      query={{
        document: CONVERSION,
        variables: { amount, from, to: [to] },
        rest: [restGet('/v1/forex/convert', { amount, from, to })],
      }}
      controls={
        <label>
          Amount in {from}
          <input
            inputMode="decimal"
            value={amount}
            maxLength={24}
            onChange={(event) => setAmount(event.currentTarget.value.trim())}
          />
        </label>
      }
    >
      {({ forex_convert: { data } }) =>
        data.conversions.map((one) => (
          <div key={one.currency}>
            <p class="headline">
              <strong>{formatFigure(one.amount, 10)}</strong> {one.currency}
            </p>
            <p class="quiet">
              1 {from} is {formatFigure(one.rate)} {one.currency} on {formatDay(one.date)},{' '}
              {METHODS[one.method] ?? one.method}.
            </p>
          </div>
        ))
      }
    </QueryPanel>
  )
}
