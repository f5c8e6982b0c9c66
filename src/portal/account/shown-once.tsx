import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

/** A key that was made just now, with its text for the only time. */
export interface CreatedKey {
  readonly raw_key: string
  readonly label: string
  readonly warning: string
}

export function ShownOnce(props: { readonly made: CreatedKey; readonly onDone: () => void }): JSX.Element {
  const { made, onDone } = props
  const [isCopied, setCopied] = useState(false)
  return (
    <div class="once" role="status">
      <p>
        <strong>{made.label}</strong>: {made.warning}
      </p>
      <p>
        <code>{made.raw_key}</code>
      </p>
      <p class="actions">
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(made.raw_key).then(() => setCopied(true))}
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
