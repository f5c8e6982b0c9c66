import type { JSX } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { runQuery, sendRequest } from '../client/request.js'
import { useLoaded } from '../client/use-request.js'
import { formatFigure, formatInstant } from '../parts/format.js'
import { Badge, DataTable, LoadedView, Panel } from '../parts/panel.js'
import { type KeySet, type ProofCheck, type SnapshotProof, verifyProof } from './verify-proof.js'

const SNAPSHOT = `query Snapshot($id: String!) {
  ai_analysis_snapshot(snapshot_id: $id) {
    snapshot_id asset_id ticker analysis_type generated_at
    meta { disclaimer }
    provenance { model_id prompt_version data_window_from data_window_to }
    immutability { content_text content_hash chain_hash previous_chain_hash sequence signature signing_key_id }
  }
}`

interface Snapshot extends SnapshotProof {
  readonly asset_id: string
  readonly ticker: string
  readonly analysis_type: string
  readonly meta: { readonly disclaimer: string }
  readonly provenance: { readonly model_id: string | null; readonly prompt_version: string | null }
}

/** The members of the hashed text that the page shows. */
interface Content {
  readonly summary: string
  readonly signals?: readonly {
    readonly name: string
    readonly value: unknown
    readonly unit: string | null
    readonly threshold: number | null
  }[]
}

/** Shows an analysis and verifies its proof in the browser. */
export function SnapshotCheckPage({ snapshotId }: { readonly snapshotId: string }): JSX.Element {
  const load = useCallback(
    () => runQuery<{ ai_analysis_snapshot: Snapshot }>(SNAPSHOT, { id: snapshotId }),
    [snapshotId],
  )
  const { loaded, reload } = useLoaded(load)
  return (
    <LoadedView loaded={loaded} reload={reload}>
      {({ ai_analysis_snapshot }) => <CheckedSnapshot snapshot={ai_analysis_snapshot} />}
    </LoadedView>
  )
}

function CheckedSnapshot({ snapshot }: { readonly snapshot: Snapshot }): JSX.Element {
  const content = JSON.parse(snapshot.immutability.content_text) as Content
  return (
    <>
      <div class="intro">
        <h1>
          {snapshot.ticker}: {snapshot.analysis_type.replaceAll('_', ' ')}
        </h1>
        <p class="quiet">
          Generated on {formatInstant(snapshot.generated_at)} by{' '}
          {snapshot.provenance.model_id ?? 'an unnamed model'}; number {snapshot.immutability.sequence} in its
          chain. <a href={`/assets/${snapshot.asset_id}`}>Go to the asset</a>
        </p>
      </div>
      <Panel title="Has this analysis been changed?" isWide>
        <Checks snapshot={snapshot} />
      </Panel>
      <Panel title="Analysis" isWide>
        <p>{content.summary}</p>
        <Signals signals={content.signals ?? []} />
        <p class="quiet">{snapshot.meta.disclaimer}</p>
      </Panel>
    </>
  )
}

type Verdict = { readonly results: readonly ProofCheck[] } | { readonly failure: string }

function Checks({ snapshot }: { readonly snapshot: Snapshot }): JSX.Element {
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  useEffect(() => {
    sendRequest<KeySet>('GET', '/.well-known/jwks.json')
      .then((keys) => verifyProof(snapshot, keys))
      .then(
        (results) => setVerdict({ results }),
        () =>
          setVerdict({
            failure:
              'Browsers can verify signatures over HTTPS or on localhost only. Open this page that way.',
          }),
      )
  }, [snapshot])
  if (verdict === null) return <p class="quiet">Checking…</p>
  if ('failure' in verdict) return <p role="alert">{verdict.failure}</p>
  const isUnchanged = verdict.results.every(({ passed }) => passed !== false)
  return (
    <>
      <p role="status">
        <Badge tone={isUnchanged ? 'good' : 'bad'} text={isUnchanged ? 'unchanged' : 'CHANGED'} /> Your
        browser computed this from the text.
      </p>
      <ul class="entries">
        {verdict.results.map(({ name, passed, note }) => (
          <li key={name}>
            <strong>{name}</strong> <CheckBadge passed={passed} />
            <p class="hash">{note}</p>
          </li>
        ))}
      </ul>
    </>
  )
}

function CheckBadge({ passed }: { readonly passed: boolean | null }): JSX.Element {
  if (passed === null) return <Badge tone="quiet" text="not checked" />
  return <Badge tone={passed ? 'good' : 'bad'} text={passed ? 'passed' : 'failed'} />
}

function Signals({ signals }: { readonly signals: NonNullable<Content['signals']> }): JSX.Element {
  return (
    <DataTable label="Signals" columns={['Signal', { number: 'Value' }, 'Unit', { number: 'Threshold' }]}>
      {signals.map(({ name, value, unit, threshold }) => (
        <tr key={name}>
          <th scope="row">{name.replaceAll('_', ' ')}</th>
          <td class="number">{typeof value === 'number' ? formatFigure(value) : String(value ?? '–')}</td>
          <td>{unit ?? ''}</td>
          <td class="number">{formatFigure(threshold)}</td>
        </tr>
      ))}
    </DataTable>
  )
}
