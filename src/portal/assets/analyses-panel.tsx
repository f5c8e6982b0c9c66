import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { Choice } from '../parts/choice.js'
import { formatInstant } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'

const HISTORY = `query Analyses($slug: String!, $type: AiAnalysisType!) {
  ai_analysis_history(asset_id: $slug, analysis_type: $type, limit: 5) {
    total
    items { snapshot_id generated_at summary }
  }
}`

const TYPES = [
  ['market_context', 'Market context'],
  ['regime', 'Regime'],
  ['halal_analysis', 'Halal analysis'],
] as const
type AnalysisType = (typeof TYPES)[number][0]

interface History {
  readonly ai_analysis_history: {
    readonly total: number
    readonly items: readonly {
      readonly snapshot_id: string
      readonly generated_at: string
      readonly summary: string | null
    }[]
  }
}

/** The newest analyses of an asset, each with a link to its proof. */
export function AnalysesPanel({ slug }: { readonly slug: string }): JSX.Element {
  const [type, setType] = useState<AnalysisType>('market_context')
  return (
    <QueryPanel<History>
      title="Analyses"
      isWide
      controls={<Choice label="Type of analysis" options={TYPES} value={type} onChange={setType} />}
      query={{
        document: HISTORY,
        variables: { slug, type },
        rest: [restGet(`/v1/assets/${slug}/ai-analysis/history`, { analysis_type: type, limit: 5 })],
      }}
    >
      {({ ai_analysis_history: { items, total } }) =>
        items.length === 0 ? (
          <p class="quiet">This asset has no analysis of this type yet.</p>
        ) : (
          <>
            <ul class="entries">
              {items.map(({ snapshot_id, generated_at, summary }) => (
                <li key={snapshot_id}>
                  <a href={`/snapshots/${snapshot_id}`}>{formatInstant(generated_at)}</a>
                  <p>{summary}</p>
                </li>
              ))}
            </ul>
            <p class="quiet">
              The newest {items.length} of {total}.
            </p>
          </>
        )
      }
    </QueryPanel>
  )
}
