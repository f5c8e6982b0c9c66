import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { restGet, useQuery } from '../client/use-query.js'
import { ApiCalls } from '../parts/api-calls.js'
import { Choice } from '../parts/choice.js'
import { formatInstant } from '../parts/format.js'
import { LoadedView, Panel } from '../parts/panel.js'
import type { Analysis } from './analysis.js'
import { AnalysisDiffPanel } from './analysis-diff-panel.js'

const HISTORY = `query Analyses($slug: String!, $type: AiAnalysisType!) {
  ai_analysis_history(asset_id: $slug, analysis_type: $type) {
    analysis_type total
    items { snapshot_id generated_at summary }
  }
}`

const TYPES = [
  ['market_context', 'Market context'],
  ['regime', 'Regime'],
  ['halal_analysis', 'Halal analysis'],
] as const
type AnalysisType = (typeof TYPES)[number][0]

/** The list has this many of the newest analyses. */
const LISTED_COUNT = 5

interface History {
  readonly ai_analysis_history: {
    readonly analysis_type: AnalysisType
    readonly total: number
    readonly items: readonly Analysis[]
  }
}

/** The newest analyses of an asset, each with a link to its proof, and what differs between two of them. */
export function AnalysesPanels({ slug }: { readonly slug: string }): JSX.Element {
  const [type, setType] = useState<AnalysisType>('market_context')
  const query = {
    document: HISTORY,
    variables: { slug, type },
    rest: [restGet(`/v1/assets/${slug}/ai-analysis/history`, { analysis_type: type })],
  }
  const { loaded, reload } = useQuery<History>(query)
  const history = loaded.state === 'ready' ? loaded.answer.ai_analysis_history : null
  return (
    <>
      <Panel title="Analyses" isWide>
        <Choice label="Type of analysis" options={TYPES} value={type} onChange={setType} />
        <LoadedView loaded={loaded} reload={reload}>
          {({ ai_analysis_history: { items, total } }) => <AnalysisList items={items} total={total} />}
        </LoadedView>
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
  if (items.length === 0) return <p class="quiet">This asset has no analysis of this type yet.</p>
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
