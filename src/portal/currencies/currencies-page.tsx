import type { JSX } from 'preact'
import { useParameter } from '../location.js'
import { ComparePanel } from './compare-panel.js'
import { ConverterPanel } from './converter-panel.js'
import { CurrencySelect } from './currency-select.js'
import { KnownRatePanel } from './known-rate-panel.js'
import { PairPanel } from './pair-panel.js'
import { PublicationPanel } from './publication-panel.js'

/** Converts between two currencies, charts them, compares more, shows on which days rates were published, and what was known of a rate when. */
export function CurrenciesPage(): JSX.Element {
  const [from, setFrom] = useParameter('from', 'EUR')
  const [to, setTo] = useParameter('to', 'USD')
  const swap = () => {
    setFrom(to)
    setTo(from)
  }
  return (
    <>
      <div class="intro">
        <h1>Currencies</h1>
        <p>Rates are computed from the euro reference rates of the European Central Bank.</p>
        <div class="row">
          <CurrencySelect label="From" value={from} onChange={setFrom} />
          <CurrencySelect label="To" value={to} onChange={setTo} />
          <button type="button" class="plain" onClick={swap}>
            Swap
          </button>
        </div>
      </div>
      <div class="panels">
        <ConverterPanel from={from} to={to} />
        <PairPanel from={from} to={to} />
        <ComparePanel />
        <PublicationPanel />
        {(from !== 'EUR' || to !== 'EUR') && <KnownRatePanel from={from} to={to} />}
      </div>
    </>
  )
}
