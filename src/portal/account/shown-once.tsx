import type { JSX } from 'preact'
import { config } from '../config.js'
import { CodeBlock } from '../parts/code-block.js'
import { ClientUses } from './client-uses.js'

/** A key that was just created. No later response contains `raw_key`. */
export interface CreatedKey {
  readonly raw_key: string
  readonly label: string
  readonly warning: string
  /** What a key for addresses may read; null for another key. */
  readonly url_use: { readonly interfaces: readonly string[] } | null
}

export function ShownOnce(props: { readonly created: CreatedKey; readonly onDone: () => void }): JSX.Element {
  const { created, onDone } = props
  const used = config.interfaces.filter(({ name }) => created.url_use?.interfaces.includes(name))
  const request = `curl -H "X-API-Key: ${created.raw_key}" ${location.origin}/v1/assets/bitcoin`
  return (
    <div class="once" role="status">
      <p>
        <strong>{created.label}</strong>: {created.warning}
      </p>
      <CodeBlock name="key" text={created.raw_key} />
      {created.url_use === null && (
        <>
          <p>A first request with it:</p>
          <CodeBlock name="request" text={request} />
        </>
      )}
      {used.map((served) => (
        <ClientUses key={served.name} served={served} secret={created.raw_key} />
      ))}
      <p class="actions">
        <button type="button" class="plain" onClick={onDone}>
          I have stored it
        </button>
      </p>
    </div>
  )
}
