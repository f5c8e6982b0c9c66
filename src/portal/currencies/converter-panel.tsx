import type { JSX } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { restGet, useQuery } from '../client/use-query.js'
import { useParameter } from '../location.js'
import { ApiCalls } from '../parts/api-calls.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { LoadedView, Panel } from '../parts/panel.js'
import { CONVERSION, type ConversionAnswer, type ConvertedAmount } from './conversion.js'
import { explainAmount } from './explain-amount.js'

/** The panel waits this long after the last key before it requests anything. */
const DEBOUNCE_MS = 250

/** How the rate of a conversion was obtained, by the method that the API names. */
const METHODS: Readonly<Record<string, string>> = {
  published: 'published by the source',
  inverse: 'the inverse of the published rate',
  cross: 'computed from two published rates',
}

export interface PairProps {
  readonly from: string
  readonly to: string
}

/** Converts an amount by the newest rate while it is typed. The address has the amount, so that another currency keeps it. */
export function ConverterPanel({ from, to }: PairProps): JSX.Element {
  const [amount, setAmount] = useParameter('amount', '100')
  const [typed, setTyped] = useState(amount)
  const id = useId()
  const problem = explainAmount(typed)
  // The amount of another address, such as that of a search, replaces the typed one.
  useEffect(() => setTyped(amount), [amount])
  useEffect(() => {
    if (problem !== null || typed === amount) return
    const timer = setTimeout(() => setAmount(typed), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <Panel title="Convert" isWide>
      <label>
        Amount in {from}
        <input
          inputMode="decimal"
          value={typed}
          maxLength={24}
          aria-invalid={problem !== null}
          {...(problem === null ? {} : { 'aria-describedby': id })}
          onInput={(event) => setTyped(event.currentTarget.value.trim())}
        />
      </label>
      <p id={id} class="quiet" role="status">
        {problem}
      </p>
      {problem === null && explainAmount(amount) === null && (
        <Converted amount={amount} from={from} to={to} />
      )}
    </Panel>
  )
}

function Converted({ amount, from, to }: PairProps & { readonly amount: string }): JSX.Element {
  const query = {
    document: CONVERSION,
    variables: { amount, from, to: [to] },
    rest: [restGet('/v1/forex/convert', { amount, from, to })],
  }
  const { loaded, reload } = useQuery<ConversionAnswer>(query)
  return (
    <>
      <div class="conversion-room">
        <LoadedView loaded={loaded} reload={reload}>
          {({ forex_convert: { data } }) =>
            data.conversions.map((one) => <Result key={one.currency} from={from} conversion={one} />)
          }
        </LoadedView>
      </div>
      <ApiCalls query={query} />
    </>
  )
}

interface ResultProps {
  readonly from: string
  readonly conversion: ConvertedAmount
}

function Result({ from, conversion }: ResultProps): JSX.Element {
  const { amount, currency, rate, date, method } = conversion
  return (
    <div>
      <p class="headline">
        <strong>{formatFigure(amount, 10)}</strong> {currency}
      </p>
      <p class="quiet">
        1 {from} is {formatFigure(rate)} {currency} on {formatDay(date)}, {METHODS[method] ?? method}.
      </p>
    </div>
  )
}
