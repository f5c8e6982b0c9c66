import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../client/request.js'
import { useGet } from '../client/use-request.js'
import { formatInstant } from '../parts/format.js'
import { Answered, Badge, DataTable, Panel, Refused } from '../parts/panel.js'
import { NewKeyForm } from './new-key-form.js'
import { type CreatedKey, ShownOnce } from './shown-once.js'
import { useAction } from './use-action.js'

/** How long a rotated key goes on working, seconds. */
const GRACE_SECONDS = 3_600

interface Key {
  readonly key_id: string
  readonly key_prefix: string
  readonly label: string
  readonly scopes: readonly string[]
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly is_active: boolean
}

/** The keys of the account: made, rotated and revoked here. */
export function Keys({ tier }: { readonly tier: string }): JSX.Element {
  const { loaded, reload } = useGet<{ readonly keys: readonly Key[] }>('/auth/keys')
  const [made, setMade] = useState<CreatedKey | null>(null)
  const { refusal, run, isRunning } = useAction()
  const change = (work: () => Promise<CreatedKey | null>) =>
    run(async () => {
      setMade(await work())
      reload()
    })
  return (
    <Panel title="Keys" isWide>
      {made !== null && <ShownOnce made={made} onDone={() => setMade(null)} />}
      {refusal !== null && <Refused refusal={refusal} />}
      <Answered loaded={loaded}>
        {({ keys }) => (
          <KeyTable
            keys={keys}
            isBusy={isRunning}
            onRotate={({ key_id }) =>
              change(() => ask('POST', `/auth/keys/${key_id}/rotate`, { grace_seconds: GRACE_SECONDS }))
            }
            onRevoke={({ key_id }) =>
              change(() => ask<null>('DELETE', `/auth/keys/${key_id}`).then(() => null))
            }
          />
        )}
      </Answered>
      <NewKeyForm
        tier={tier}
        isBusy={isRunning}
        onMake={(body) => change(() => ask('POST', '/auth/keys', body))}
      />
    </Panel>
  )
}

interface KeyTableProps {
  readonly keys: readonly Key[]
  readonly isBusy: boolean
  readonly onRotate: (key: Key) => void
  readonly onRevoke: (key: Key) => void
}

function KeyTable({ keys, isBusy, onRotate, onRevoke }: KeyTableProps): JSX.Element {
  const active = keys.filter(({ is_active }) => is_active)
  if (active.length === 0) return <p class="quiet">There is no key yet.</p>
  return (
    <DataTable
      label="Keys of the account"
      columns={['Label', 'Begins with', 'Scopes', 'Used last', 'Ends', 'Actions']}
    >
      {active.map((key) => (
        <tr key={key.key_id}>
          <th scope="row">{key.label}</th>
          <td>
            <code>{key.key_prefix}</code>
          </td>
          <td>{key.scopes.length === 0 ? <Badge tone="quiet" text="none" /> : key.scopes.join(', ')}</td>
          <td>{formatInstant(key.last_used_at)}</td>
          <td>{formatInstant(key.expires_at)}</td>
          <td class="actions">
            <button type="button" class="plain" disabled={isBusy} onClick={() => onRotate(key)}>
              Rotate<span class="unseen"> {key.label}</span>
            </button>
            <RevokeButton label={key.label} isBusy={isBusy} onRevoke={() => onRevoke(key)} />
          </td>
        </tr>
      ))}
    </DataTable>
  )
}

/** Asks once more before it revokes: whatever uses the key stops at once. */
function RevokeButton(props: {
  readonly label: string
  readonly isBusy: boolean
  readonly onRevoke: () => void
}): JSX.Element {
  const [isAsked, setAsked] = useState(false)
  return (
    <button
      type="button"
      class={isAsked ? 'danger' : 'plain'}
      disabled={props.isBusy}
      onBlur={() => setAsked(false)}
      onClick={() => (isAsked ? props.onRevoke() : setAsked(true))}
    >
      {isAsked ? 'Revoke now' : 'Revoke'}
      <span class="unseen"> {props.label}</span>
    </button>
  )
}
