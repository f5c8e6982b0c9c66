import type { JSX } from 'preact'
import { type ClientInterface, config } from '../config.js'
import { CodeBlock } from '../parts/code-block.js'
import { Panel } from '../parts/panel.js'

/** Shown in place of a key until one is created. */
const ANY_KEY = 'KEY'

/** What to paste into each client of an interface, with the address and a key filled in. */
export function ClientUses(props: {
  readonly served: ClientInterface
  readonly secret: string
}): JSX.Element {
  const { served, secret } = props
  const fill = (text: string) =>
    text.replaceAll('{base}', location.origin + served.path).replaceAll('{key}', secret)
  return (
    <dl>
      {served.uses.map(({ client, text }) => (
        <div key={client}>
          <dt>{client}</dt>
          <dd>
            <CodeBlock name={`text for ${client}`} text={fill(text)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The clients of other services that work with this gateway. */
export function ClientUsesPanel(): JSX.Element | null {
  if (config.interfaces.length === 0) return null
  return (
    <Panel title="Use it with …" isWide>
      <p class="quiet">
        Create a key for addresses above. Until then the texts have {ANY_KEY} in its place.{' '}
        <a href="/docs/guides/compatible">What works with each client</a>
      </p>
      {config.interfaces.map((served) => (
        <section key={served.name}>
          <h3>{served.title}</h3>
          <p>
            {served.summary}
            {served.isOpen && ' It answers without a key too.'}
          </p>
          <ClientUses served={served} secret={ANY_KEY} />
        </section>
      ))}
    </Panel>
  )
}
