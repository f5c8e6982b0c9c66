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
  readonly onMake: (body: NewKeyBody) => void
}

/** Asks for a key; narrowed to scopes only where the user wants that. */
export function NewKeyForm({ tier, isBusy, onMake }: NewKeyFormProps): JSX.Element {
  const [isNarrowed, setNarrowed] = useState(false)
  const held = config.scopes.filter(({ from }) => TIERS.indexOf(from) <= TIERS.indexOf(tier))
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    onMake(bodyOf(new FormData(form), isNarrowed))
    form.reset()
    setNarrowed(false)
  }
  return (
    <form onSubmit={send} aria-label="New key">
      <h3>New key</h3>
      <label>
        Label
        <input name="label" required maxLength={100} placeholder="What it is for" />
      </label>
      <label>
        Last day (never, when empty)
        <input
          name="last_day"
          type="date"
          min={new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}
        />
      </label>
      <label class="choice">
        <input type="checkbox" checked={isNarrowed} onChange={() => setNarrowed(!isNarrowed)} />
        Narrow it to scopes
      </label>
      {isNarrowed && (
        <fieldset>
          <legend>Scopes of the tier {tier}</legend>
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

function bodyOf(form: FormData, isNarrowed: boolean): NewKeyBody {
  const day = String(form.get('last_day') ?? '')
  return {
    label: String(form.get('label')),
    ...(isNarrowed ? { scopes: form.getAll('scopes').map(String) } : {}),
    ...(day === '' ? {} : { expires_at: `${day}T23:59:59Z` }),
  }
}
