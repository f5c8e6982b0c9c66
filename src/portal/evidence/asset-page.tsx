import type { JSX } from 'preact'
import { useCallback } from 'preact/hooks'
import { query } from '../client/request.js'
import { useLoaded } from '../client/use-request.js'
import { formatFigure, formatInstant, formatPercent } from '../parts/format.js'
import { Answered, Badge, DataTable, Panel, SyntheticNote } from '../parts/panel.js'

const EVIDENCE = `query Evidence($slug: String!) {
  asset(id: $slug) {
    meta { is_dev_dataset }
    data {
      name ticker price_consensus_usd consensus_status last_updated
      consensus_inputs {
        ts vwap_usd_text methodology_version known_from consensus_status disclaimer
        sources { venue vwap_usd volume_usd weight deviation exclusion }
      }
    }
  }
}`

const SNAPSHOTS = `query Snapshots($slug: String!) {
  ai_analysis_history(asset_id: $slug, limit: 10) { total items { snapshot_id generated_at summary } }
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
  readonly consensus_status: string
  readonly disclaimer: string
  readonly sources: readonly Source[]
}

interface Evidence {
  readonly asset: {
    readonly meta: { readonly is_dev_dataset: boolean | null }
    readonly data: {
      readonly name: string
      readonly ticker: string
      readonly price_consensus_usd: number | null
      readonly last_updated: string | null
      readonly consensus_inputs: Inputs | null
    }
  }
}

interface Snapshots {
  readonly ai_analysis_history: {
    readonly total: number
    readonly items: readonly {
      readonly snapshot_id: string
      readonly generated_at: string | null
      readonly summary: string | null
    }[]
  }
}

/** What the newest daily price of an asset is made of, and the analyses of it. */
export function AssetPage({ slug }: { readonly slug: string }): JSX.Element {
  const evidence = useLoaded(useCallback(() => query<Evidence>(EVIDENCE, { slug }), [slug]))
  const snapshots = useLoaded(useCallback(() => query<Snapshots>(SNAPSHOTS, { slug }), [slug]))
  return (
    <>
      <Answered loaded={evidence.loaded}>{({ asset }) => <PriceEvidence asset={asset} />}</Answered>
      {evidence.loaded.state !== 'closed' && (
        <Panel title="Analyses" isWide>
          <Answered loaded={snapshots.loaded}>
            {({ ai_analysis_history: { items } }) => <SnapshotList items={items} />}
          </Answered>
        </Panel>
      )}
    </>
  )
}

function PriceEvidence({ asset: { data, meta } }: Evidence): JSX.Element {
  const inputs = data.consensus_inputs
  return (
    <>
      <div class="intro">
        <h1>
          {data.name} <span class="quiet">{data.ticker}</span>
        </h1>
        <p class="headline">
          <strong>{formatFigure(data.price_consensus_usd)}</strong> USD, {formatInstant(data.last_updated)}{' '}
          <SyntheticNote isSynthetic={meta.is_dev_dataset} />
        </p>
      </div>
      <Panel title="What the price of the newest day is made of" isWide>
        {inputs === null ? <p class="quiet">No exchange trades it.</p> : <Venues inputs={inputs} />}
      </Panel>
    </>
  )
}

function Venues({ inputs }: { readonly inputs: Inputs }): JSX.Element {
  return (
    <>
      <p>
        {inputs.vwap_usd_text === null ? (
          <>Too few exchanges were left for a price</>
        ) : (
          <>
            <strong>{inputs.vwap_usd_text}</strong> USD
          </>
        )}{' '}
        for the day that began {formatInstant(inputs.ts)}, by {inputs.methodology_version}, known since{' '}
        {formatInstant(inputs.known_from)}.
      </p>
      <DataTable
        label="Exchanges behind the price"
        columns={['Exchange', 'Price, USD', 'Volume, USD', 'Weight', 'From the median', 'Part']}
      >
        {inputs.sources.map((source) => (
          <tr key={source.venue}>
            <th scope="row">{source.venue}</th>
            <td class="number">{formatFigure(source.vwap_usd, 12)}</td>
            <td class="number">{formatFigure(source.volume_usd, 4)}</td>
            <td class="number">{formatPercent(source.weight)}</td>
            <td class="number">{formatPercent(source.deviation, 3)}</td>
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

function SnapshotList({ items }: { readonly items: Snapshots['ai_analysis_history']['items'] }): JSX.Element {
  if (items.length === 0) return <p class="quiet">No analysis is there yet.</p>
  return (
    <ul class="entries">
      {items.map(({ snapshot_id, generated_at, summary }) => (
        <li key={snapshot_id}>
          <a href={`/snapshots/${snapshot_id}`}>{formatInstant(generated_at)}</a>
          <p>{summary}</p>
        </li>
      ))}
    </ul>
  )
}
