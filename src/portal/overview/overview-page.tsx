import type { JSX } from 'preact'
import { config, listExplorerPages } from '../config.js'
import { SeriesPanel } from '../macro/series-panel.js'
import { CandlesPanel } from './candles-panel.js'
import { DatasetsPanel } from './datasets-panel.js'
import { RatesPanel } from './rates-panel.js'

export function OverviewPage(): JSX.Element {
  return (
    <>
      <div class="intro">
        <h1>Market data that says where it comes from</h1>
        <p>
          Assets, exchange rates, consensus prices, analyses, on-chain figures, macro series and sanctions
          lists, through GraphQL and REST. Every response names its sources and says how fresh it is. See what
          was known on any day. Check every analysis yourself.
        </p>
        <p class="actions">
          <a class="button" href="/docs">
            Read the REST reference
          </a>
          {!config.isTrustedOnly && (
            <a class="button plain" href="/graphql">
              Open GraphiQL
            </a>
          )}
        </p>
      </div>
      <ExploreLinks />
      <div class="panels">
        <CandlesPanel />
        <RatesPanel />
        {!config.isTrustedOnly && (
          <SeriesPanel id="bis:WS_TC:Q.US.P.A.M.770.A" title="United States: credit to the private sector" />
        )}
        <DatasetsPanel />
      </div>
    </>
  )
}

/** What a visitor can look at without writing a query. */
function ExploreLinks(): JSX.Element {
  return (
    <nav aria-label="Explore">
      <ul class="explore">
        {listExplorerPages().map(({ path, title, description }) => (
          <li key={path}>
            <a href={path}>{title}</a>
            <p class="quiet">{description}</p>
          </li>
        ))}
      </ul>
    </nav>
  )
}
