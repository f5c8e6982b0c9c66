import type { JSX } from 'preact'
import { type ApiQuery, restGet } from '../client/use-query.js'
import { formatFigure, formatInstant, formatPercent, formatSignedPercent } from '../parts/format.js'
import { Badge, DataTable } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import { getExchangeName } from './exchanges.js'

const INPUTS = `query PriceInputs($slug: String!) {
  consensus_inputs(id: $slug) {
    ts vwap_usd_text methodology_version known_from disclaimer
    sources { venue vwap_usd volume_usd weight deviation exclusion }
  }
}`

interface Source {
  readonly venue: string
  readonly vwap_usd: string | null
  readonly volume_usd: string | null
  readonly weight: string | null
  readonly deviation: string | null
  readonly exclusion: string | null
}

interface Inputs {
  readonly ts: string
  readonly vwap_usd_text: string | null
  readonly methodology_version: string
  readonly known_from: string
  readonly disclaimer: string
  readonly sources: readonly Source[]
}

const FIGURES = ['Price, USD', 'Volume, USD', 'Weight', 'Difference from median'].map((number) => ({
  number,
}))

/** The request for what the newest daily price was computed from. */
export function buildInputsQuery(slug: string): ApiQuery {
  return {
    document: INPUTS,
    variables: { slug },
    rest: [restGet(`/v1/assets/${slug}/consensus-inputs`)],
  }
}

/** The exchanges behind the newest daily price of an asset. */
export function PriceEvidencePanel({ slug }: { readonly slug: string }): JSX.Element {
  return (
    <QueryPanel<{ readonly consensus_inputs: Inputs }>
      title="How the newest daily price was computed"
      isWide
      query={buildInputsQuery(slug)}
    >
      {({ consensus_inputs }) => <Exchanges inputs={consensus_inputs} />}
    </QueryPanel>
  )
}

function Exchanges({ inputs }: { readonly inputs: Inputs }): JSX.Element {
  return (
    <>
      <p>
        {inputs.vwap_usd_text === null ? (
          <>No price, because too few exchanges remained,</>
        ) : (
          <>
            <strong>{formatFigure(inputs.vwap_usd_text, 12)}</strong> USD
          </>
        )}{' '}
        for the day that began on {formatInstant(inputs.ts)}. Method: {inputs.methodology_version}. Known
        since {formatInstant(inputs.known_from)}.
      </p>
      <DataTable label="Exchanges behind the price" columns={['Exchange', ...FIGURES, 'Status']}>
        {inputs.sources.map((source) => (
          <tr key={source.venue}>
            <th scope="row">{getExchangeName(source.venue)}</th>
            <td class="number">{formatFigure(source.vwap_usd, 12)}</td>
            <td class="number">{formatFigure(source.volume_usd, 4)}</td>
            <td class="number">{formatPercent(source.weight)}</td>
            <td class="number">
              {source.deviation === null ? '–' : formatSignedPercent(Number(source.deviation), 3)}
            </td>
            <td>
              {source.exclusion === null ? (
                <Badge tone="good" text="used" />
              ) : (
                <Badge tone="bad" text={source.exclusion.replaceAll('_', ' ')} />
              )}
            </td>
          </tr>
        ))}
      </DataTable>
      <p class="quiet">{inputs.disclaimer}</p>
    </>
  )
}
