import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type ApiQuery, restGet, useQuery } from '../client/use-query.js'
import { ApiCalls } from '../parts/api-calls.js'
import { Choice } from '../parts/choice.js'
import { formatInstant } from '../parts/format.js'
import { LoadedView, Panel } from '../parts/panel.js'
import type { Analysis } from './analysis.js'
import { AnalysisDiffPanel } from './analysis-diff-panel.js'
import type { AssetClassName } from './asset.js'

const HISTORY = `query Analyses($slug: String!, $type: AiAnalysisType!) {
  ai_analysis_history(asset_id: $slug, analysis_type: $type) {
    analysis_type total
    items { snapshot_id generated_at summary }
  }
}`

const TYPES = {
  market_context: 'Market context',
  regime: 'Regime',
  halal_analysis: 'Halal analysis',
} as const
type AnalysisType = keyof typeof TYPES

/** Regimes are those of crypto assets, and the ratios of a halal analysis come from the report of a company. */
const TYPES_OF_CLASS = {
  crypto: ['market_context', 'regime', 'halal_analysis'],
  stock: ['market_context', 'halal_analysis'],
  etf: ['market_context'],
  commodity: [],
} as const satisfies Readonly<Record<AssetClassName, readonly AnalysisType[]>>

/** What changes of crypto assets compare. Those of listed assets compare the same closes as the head of the page. */
const CRYPTO_NOTES: Readonly<Partial<Record<AnalysisType, string>>> = {
  market_context:
    'Changes over 24 hours compare hourly prices. Changes over 7 days compare daily means; the head of this page compares hourly prices.',
  regime: 'Prices and changes are those of daily means; the head of this page compares hourly prices.',
}

export interface AnalysesPanelsProps {
  readonly slug: string
  readonly assetClass: AssetClassName
}

/** The list has this many of the newest analyses. */
const LISTED_COUNT = 5

interface History {
  readonly ai_analysis_history: {
    readonly analysis_type: AnalysisType
    readonly total: number
    readonly items: readonly Analysis[]
  }
}

/** The request for the analyses of a type, newest first. */
export function buildAnalysesQuery(slug: string, type: AnalysisType): ApiQuery {
  return {
    document: HISTORY,
    variables: { slug, type },
    rest: [restGet(`/v1/assets/${slug}/ai-analysis/history`, { analysis_type: type })],
  }
}

/** The newest analyses of an asset, each with a link to its proof, and what differs between two of them. */
export function AnalysesPanels({ slug, assetClass }: AnalysesPanelsProps): JSX.Element {
  const [type, setType] = useState<AnalysisType>('market_context')
  const types = TYPES_OF_CLASS[assetClass].map((one) => [one, TYPES[one]] as const)
  const query = buildAnalysesQuery(slug, type)
  const { loaded, reload } = useQuery<History>(query)
  const history = loaded.state === 'ready' ? loaded.answer.ai_analysis_history : null
  return (
    <>
      <Panel title="Analyses" isWide>
        {types.length > 1 && (
          <Choice label="Type of analysis" options={types} value={type} onChange={setType} />
        )}
        <LoadedView loaded={loaded} reload={reload}>
          {({ ai_analysis_history: { items, total } }) => <AnalysisList items={items} total={total} />}
        </LoadedView>
        {assetClass === 'crypto' && CRYPTO_NOTES[type] !== undefined && (
          <p class="quiet">{CRYPTO_NOTES[type]}</p>
        )}
        <ApiCalls query={query} />
      </Panel>
      {history !== null && history.items.length > 1 && (
        <AnalysisDiffPanel
          key={history.analysis_type}
          slug={slug}
          type={history.analysis_type}
          analyses={history.items}
        />
      )}
    </>
  )
}

interface AnalysisListProps {
  readonly items: readonly Analysis[]
  readonly total: number
}

function AnalysisList({ items, total }: AnalysisListProps): JSX.Element {
  if (items.length === 0) return <p class="quiet">The asset has no analysis of this type.</p>
  const listed = items.slice(0, LISTED_COUNT)
  return (
    <>
      <ul class="entries">
        {listed.map(({ snapshot_id, generated_at, summary }) => (
          <li key={snapshot_id}>
            <a href={`/snapshots/${snapshot_id}`}>{formatInstant(generated_at)}</a>
            <p>{summary}</p>
          </li>
        ))}
      </ul>
      <p class="quiet">
        The newest {listed.length} of {total}.
      </p>
    </>
  )
}
