import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

/** A key that was just created. No later response contains `raw_key`. */
export interface CreatedKey {
  readonly raw_key: string
  readonly label: string
  readonly warning: string
}

export function ShownOnce(props: { readonly created: CreatedKey; readonly onDone: () => void }): JSX.Element {
  const { created, onDone } = props
  const [isCopied, setCopied] = useState(false)
  return (
    <div class="once" role="status">
      <p>
        <strong>{created.label}</strong>: {created.warning}
      </p>
      <p>
        <code>{created.raw_key}</code>
      </p>
      <p class="actions">
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(created.raw_key).then(() => setCopied(true))}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" class="plain" onClick={onDone}>
          I have stored it
        </button>
      </p>
    </div>
  )
}
