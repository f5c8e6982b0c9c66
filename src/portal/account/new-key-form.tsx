import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { config } from '../config.js'

const TIERS = ['free', 'starter', 'growth', 'pro', 'enterprise']

export interface NewKeyBody {
  readonly label: string
  readonly scopes?: readonly string[]
  readonly expires_at?: string
}

export interface NewKeyFormProps {
  readonly tier: string
  readonly isBusy: boolean
  readonly onCreate: (body: NewKeyBody) => void
}

/** Creates a key, optionally limited to some scopes. */
export function NewKeyForm({ tier, isBusy, onCreate }: NewKeyFormProps): JSX.Element {
  const [isLimited, setLimited] = useState(false)
  const held = config.scopes.filter(({ from }) => TIERS.indexOf(from) <= TIERS.indexOf(tier))
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    onCreate(buildBody(new FormData(form), isLimited))
    form.reset()
    setLimited(false)
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
          type="date"
          min={new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}
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
      <p class="actions">
        <button type="submit" disabled={isBusy}>
          Create the key
        </button>
      </p>
    </form>
  )
}

function buildBody(form: FormData, isLimited: boolean): NewKeyBody {
  const day = String(form.get('last_day') ?? '')
  return {
    label: String(form.get('label')),
    ...(isLimited ? { scopes: form.getAll('scopes').map(String) } : {}),
    ...(day === '' ? {} : { expires_at: `${day}T23:59:59Z` }),
  }
}
