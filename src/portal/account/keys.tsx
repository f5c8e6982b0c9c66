import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { sendRequest } from '../client/request.js'
import { useGet } from '../client/use-request.js'
import { formatInstant, formatQuantity } from '../parts/format.js'
import { Badge, DataTable, ErrorMessage, LoadedView, Panel } from '../parts/panel.js'
import { KeyClock, type KeyInstant } from './key-clock.js'
import { type NewKeyBody, NewKeyForm } from './new-key-form.js'
import { type CreatedKey, ShownOnce } from './shown-once.js'
import { useAction } from './use-action.js'

/** How long a rotated key keeps working, in seconds. */
const GRACE_SECONDS = 3_600

interface Key {
  readonly key_id: string
  readonly key_prefix: string
  readonly label: string
  readonly scopes: readonly string[]
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly created_by_key_id: string | null
  readonly is_active: boolean
  readonly url_use: UrlUse | null
  /** Null for a key without a clock. */
  readonly clock: KeyInstant | null
}

interface UrlUse {
  readonly operations: readonly string[]
  readonly interfaces: readonly string[]
  readonly hourly_units: number
}

/** The active keys that end with a key: those that it created, and those that they created. */
function keysEndingWith(key: Key, keys: readonly Key[]): readonly Key[] {
  const ended = new Set([key.key_id])
  for (let size = 0; size < ended.size; ) {
    size = ended.size
    for (const { key_id, created_by_key_id } of keys)
      if (created_by_key_id !== null && ended.has(created_by_key_id)) ended.add(key_id)
  }
  return keys.filter(({ key_id, is_active }) => is_active && key_id !== key.key_id && ended.has(key_id))
}

interface KeysProps {
  readonly tier: string
  /** The first key of a new account. */
  readonly firstKey: CreatedKey | null
}

/** Lists the keys of the account; creates, rotates and revokes them. */
export function Keys({ tier, firstKey }: KeysProps): JSX.Element {
  const { loaded, reload } = useGet<{ readonly keys: readonly Key[] }>('/auth/keys')
  const [created, setCreated] = useState(firstKey)
  const { error, run, isRunning } = useAction()
  const change = (work: () => Promise<CreatedKey | null>) =>
    run(async () => {
      setCreated(await work())
      reload()
    })
  const create = (body: NewKeyBody) => change(() => sendRequest('POST', '/auth/keys', body))
  return (
    <Panel title="Keys" isWide>
      {created !== null && <ShownOnce created={created} onDone={() => setCreated(null)} />}
      {error !== null && <ErrorMessage error={error} />}
      <div class="key-room">
        <LoadedView loaded={loaded} reload={reload}>
          {({ keys }) => (
            <KeyTable
              keys={keys}
              isBusy={isRunning}
              onRotate={({ key_id }) =>
                change(() =>
                  sendRequest('POST', `/auth/keys/${key_id}/rotate`, { grace_seconds: GRACE_SECONDS }),
                )
              }
              onAdvance={({ key_id }, as_of) =>
                run(async () => {
                  await sendRequest('PATCH', `/auth/keys/${key_id}`, { clock: { as_of } })
                  reload()
                })
              }
              onRevoke={({ key_id }) =>
                change(() => sendRequest<null>('DELETE', `/auth/keys/${key_id}`).then(() => null))
              }
            />
          )}
        </LoadedView>
      </div>
      <NewKeyForm tier={tier} isBusy={isRunning} onCreate={create} />
    </Panel>
  )
}

interface KeyTableProps {
  readonly keys: readonly Key[]
  readonly isBusy: boolean
  readonly onRotate: (key: Key) => void
  readonly onAdvance: (key: Key, asOf: string) => void
  readonly onRevoke: (key: Key) => void
}

function KeyTable({ keys, isBusy, onRotate, onAdvance, onRevoke }: KeyTableProps): JSX.Element {
  const active = keys.filter(({ is_active }) => is_active)
  if (active.length === 0) return <p class="quiet">You have no keys yet.</p>
  const hasClocks = active.some(({ clock }) => clock !== null)
  return (
    <DataTable
      label="Keys of the account"
      columns={[
        ...['Label', 'Starts with', 'Scopes', ...(hasClocks ? ['Clock'] : [])],
        ...['Last used', 'Expires', 'Actions'],
      ]}
    >
      {active.map((key) => (
        <tr key={key.key_id}>
          <th scope="row">{key.label}</th>
          <td>
            <code>{key.key_prefix}</code>
          </td>
          <td>
            {key.url_use !== null ? (
              formatUrlUse(key.url_use)
            ) : key.scopes.length === 0 ? (
              <Badge tone="quiet" text="none" />
            ) : (
              key.scopes.join(', ')
            )}
          </td>
          {hasClocks && (
            <td>
              {key.clock !== null && (
                <KeyClock
                  label={key.label}
                  clock={key.clock}
                  isBusy={isBusy}
                  onAdvance={(asOf) => onAdvance(key, asOf)}
                />
              )}
            </td>
          )}
          <td>{formatInstant(key.last_used_at)}</td>
          <td>{formatInstant(key.expires_at)}</td>
          <td class="actions">
            <button type="button" class="plain" disabled={isBusy} onClick={() => onRotate(key)}>
              Rotate<span class="unseen"> {key.label}</span>
            </button>
            <RevokeButton
              label={key.label}
              ending={keysEndingWith(key, keys).map(({ label }) => label)}
              isBusy={isBusy}
              onRevoke={() => onRevoke(key)}
            />
          </td>
        </tr>
      ))}
    </DataTable>
  )
}

function formatUrlUse({ operations, interfaces, hourly_units }: UrlUse): string {
  return `addresses: ${[...operations, ...interfaces].join(', ')}; ${formatQuantity(hourly_units, 'unit')} an hour`
}

/** Asks for confirmation before it revokes: programs that use the key stop working at once. */
function RevokeButton(props: {
  readonly label: string
  /** Labels of the keys that end with the key. */
  readonly ending: readonly string[]
  readonly isBusy: boolean
  readonly onRevoke: () => void
}): JSX.Element {
  const [isConfirming, setConfirming] = useState(false)
  return (
    <>
      <button
        type="button"
        class={isConfirming ? 'danger' : 'plain'}
        disabled={props.isBusy}
        onBlur={() => setConfirming(false)}
        onClick={() => (isConfirming ? props.onRevoke() : setConfirming(true))}
      >
        {isConfirming ? 'Revoke now' : 'Revoke'}
        <span class="unseen"> {props.label}</span>
      </button>
      {isConfirming && props.ending.length > 0 && (
        <p role="alert">
          {props.label} created keys that end with it ({props.ending.length}): {props.ending.join(', ')}
        </p>
      )}
    </>
  )
}
