import type { JSX } from 'preact'
import { useCallback } from 'preact/hooks'
import { runQuery } from '../client/request.js'
import { useLoaded } from '../client/use-request.js'
import { formatFigure, formatInstant, formatPercent } from '../parts/format.js'
import { Badge, DataTable, LoadedView, Panel, SyntheticNote } from '../parts/panel.js'

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

/** Shows the exchanges behind the newest daily price of an asset, and its analyses. */
export function AssetPage({ slug }: { readonly slug: string }): JSX.Element {
  const evidence = useLoaded(useCallback(() => runQuery<Evidence>(EVIDENCE, { slug }), [slug]))
  const snapshots = useLoaded(useCallback(() => runQuery<Snapshots>(SNAPSHOTS, { slug }), [slug]))
  return (
    <>
      <LoadedView loaded={evidence.loaded}>{({ asset }) => <PriceEvidence asset={asset} />}</LoadedView>
      {evidence.loaded.state !== 'signed_out' && (
        <Panel title="Analyses" isWide>
          <LoadedView loaded={snapshots.loaded}>
            {({ ai_analysis_history: { items } }) => <SnapshotList items={items} />}
          </LoadedView>
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
      <Panel title="How the newest daily price was computed" isWide>
        {inputs === null ? (
          <p class="quiet">Consensus prices exist for crypto assets only.</p>
        ) : (
          <Exchanges inputs={inputs} />
        )}
      </Panel>
    </>
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
            <strong>{inputs.vwap_usd_text}</strong> USD
          </>
        )}{' '}
        for the day that began on {formatInstant(inputs.ts)}. Method: {inputs.methodology_version}. Known
        since {formatInstant(inputs.known_from)}.
      </p>
      <DataTable
        label="Exchanges behind the price"
        columns={['Exchange', 'Price, USD', 'Volume, USD', 'Weight', 'Difference from median', 'Status']}
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
  if (items.length === 0) return <p class="quiet">This asset has no analysis yet.</p>
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
