import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { config } from '../config.js'
import { BASES, InstantInput, toInstant } from './instant-input.js'
import type { KeyInstant } from './key-clock.js'

const TIERS = ['free', 'starter', 'growth', 'pro', 'enterprise']

export interface NewKeyBody {
  readonly label: string
  readonly scopes?: readonly string[]
  readonly expires_at?: string
  readonly url_use?: { readonly interfaces: readonly string[]; readonly hourly_units: number }
  readonly clock?: KeyInstant
}

export interface NewKeyFormProps {
  readonly tier: string
  readonly isBusy: boolean
  readonly onCreate: (body: NewKeyBody) => void
}

/** Creates a key, optionally limited to some scopes. */
export function NewKeyForm({ tier, isBusy, onCreate }: NewKeyFormProps): JSX.Element {
  const [isLimited, setLimited] = useState(false)
  const [isForAddresses, setForAddresses] = useState(false)
  const [hasClock, setHasClock] = useState(false)
  const held = config.scopes.filter(({ from }) => TIERS.indexOf(from) <= TIERS.indexOf(tier))
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    onCreate(buildBody(new FormData(form), { isLimited, isForAddresses, hasClock }))
    form.reset()
    setLimited(false)
    setForAddresses(false)
    setHasClock(false)
  }
  return (
    <form onSubmit={send} aria-label="New key">
      <h3>New key</h3>
      <label>
        Label
        <input name="label" required maxLength={100} placeholder="What you will use it for" />
      </label>
      <label>
        Expiry date (optional)
        <input
          name="last_day"
          inputMode="numeric"
          placeholder="YYYY-MM-DD"
          pattern="\d{4}-\d{2}-\d{2}"
          maxLength={10}
        />
      </label>
      <label class="choice">
        <input type="checkbox" checked={isLimited} onChange={() => setLimited(!isLimited)} />
        Limit it to some scopes
      </label>
      {isLimited && (
        <fieldset>
          <legend>Scopes of your tier ({tier})</legend>
          {held.map(({ name, opens }) => (
            <label class="choice" key={name}>
              <input type="checkbox" name="scopes" value={name} />
              <span>
                <code>{name}</code> {opens}
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {config.interfaces.length > 0 && (
        <label class="choice">
          <input type="checkbox" checked={isForAddresses} onChange={() => setForAddresses(!isForAddresses)} />
          Use it in addresses, for tools that can send no header
        </label>
      )}
      {isForAddresses && (
        <fieldset>
          <legend>It only reads these, and is refused elsewhere</legend>
          {config.interfaces.map(({ name, title, summary }, at) => (
            <label class="choice" key={name}>
              <input type="checkbox" name="interfaces" value={name} defaultChecked={at === 0} />
              <span>
                {title}: {summary}
              </span>
            </label>
          ))}
          <label>
            Units per hour, of those of the account
            <input name="hourly_units" type="number" min={1} step={1} required defaultValue="10" />
          </label>
        </fieldset>
      )}
      <label class="choice">
        <input type="checkbox" checked={hasClock} onChange={() => setHasClock(!hasClock)} />
        Give it a clock, so that every answer is as of an instant
      </label>
      {hasClock && (
        <fieldset>
          <legend>
            It only reads what was known then. <a href="/docs/guides/clocks">Keys that cannot look ahead</a>
          </legend>
          <InstantInput label="Instant (UTC)" name="as_of" />
          <label>
            A fact counts as known since it was
            <select name="basis">
              {BASES.map(([basis, text]) => (
                <option key={basis} value={basis}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        </fieldset>
      )}
      <p class="actions">
        <button type="submit" disabled={isBusy}>
          Create the key
        </button>
      </p>
    </form>
  )
}

function buildBody(
  form: FormData,
  {
    isLimited,
    isForAddresses,
    hasClock,
  }: Readonly<Record<'isLimited' | 'isForAddresses' | 'hasClock', boolean>>,
): NewKeyBody {
  const day = String(form.get('last_day') ?? '')
  return {
    label: String(form.get('label')),
    ...(isLimited ? { scopes: form.getAll('scopes').map(String) } : {}),
    ...(isForAddresses
      ? {
          url_use: {
            interfaces: form.getAll('interfaces').map(String),
            hourly_units: Number(form.get('hourly_units')),
          },
        }
      : {}),
    ...(hasClock
      ? {
          clock: {
            as_of: toInstant(String(form.get('as_of'))),
            basis: form.get('basis') as KeyInstant['basis'],
          },
        }
      : {}),
    ...(day === '' ? {} : { expires_at: `${day}T23:59:59Z` }),
  }
}
