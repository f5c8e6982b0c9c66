import type { JSX } from 'preact'
import { config } from '../config.js'
import { linkToSearch } from '../search/use-linked-text.js'
import { FirstRequest } from './first-request.js'
import { FreshnessSummary } from './freshness-summary.js'
import { MacroFigures } from './macro-figures.js'
import { MarketPanel } from './market-panel.js'
import { NewestChanges } from './newest-changes.js'
import { RatesPanel } from './rates-panel.js'

/** What people search for; the last one is the LEI of Apple. */
const EXAMPLES = [
  'inflation',
  'EUR/JPY',
  'AAPL',
  'bitcoin price',
  'policy rate Japan',
  'HWUPKR0MPOU8FGXBT394',
] as const

/** What this is, what it knows, how fresh that is, and a first request. */
export function OverviewPage(): JSX.Element {
  return (
    <>
      <div class="hero">
        <h1>Market data that says where it comes from</h1>
        <p>
          Prices, exchange rates, macro series, filings and analyses through REST, GraphQL and SQL. Each
          answer names its sources and its age. See what was known on any day.
        </p>
        <p class="examples">
          <span>Search for</span>
          {EXAMPLES.map((text) => (
            <a key={text} href={linkToSearch(text)}>
              {text}
            </a>
          ))}
        </p>
      </div>
      <FreshnessSummary />
      <div class="overview">
        {!config.isTrustedOnly && <MarketPanel />}
        <div class="figures">
          <RatesPanel />
          {!config.isTrustedOnly && <MacroFigures />}
          {!config.isTrustedOnly && <NewestChanges />}
        </div>
        <FirstRequest />
      </div>
    </>
  )
}
