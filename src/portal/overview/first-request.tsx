import type { JSX } from 'preact'
import { useId, useLayoutEffect, useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { useGet } from '../client/use-request.js'
import { config } from '../config.js'
import { Choice } from '../parts/choice.js'
import { CodeBlock } from '../parts/code-block.js'
import { LoadedView } from '../parts/panel.js'
import { toCurl, toPython, toTypeScript } from '../parts/request-code.js'
import { ScrollArea } from '../parts/tables/scroll-area.js'

const CALL = restGet('/v1/assets/bitcoin')

const LANGUAGES = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
] as const
type Language = (typeof LANGUAGES)[number][0]

/** The same request in each language. */
const REQUESTS = { curl: toCurl, javascript: toTypeScript, python: toPython } as const

/** One request, to copy and to run, and its answer. */
export function FirstRequest(): JSX.Element {
  const id = useId()
  const [language, setLanguage] = useState<Language>('curl')
  // The answer is the largest text of the page.
  const { loaded, reload } = useGet<unknown>(CALL.path, false, useLayoutEffect)
  return (
    <section class="brief request" aria-labelledby={id}>
      <h2 id={id}>One request</h2>
      <Choice label="Language" options={LANGUAGES} value={language} onChange={setLanguage} />
      <CodeBlock name="request" text={REQUESTS[language](CALL)} />
      <p class="run">
        <button type="button" class="small" onClick={reload}>
          Run
        </button>
        <span class="quiet">Answer</span>
      </p>
      <LoadedView loaded={loaded} reload={reload}>
        {(answer) => (
          <ScrollArea label="Answer">
            <pre>
              <code>{JSON.stringify(answer, null, 2)}</code>
            </pre>
          </ScrollArea>
        )}
      </LoadedView>
      <p class="small">
        <a href="/docs">Read the REST reference</a>
        {!config.isTrustedOnly && <a href="/graphql">Open GraphiQL</a>}
        <a href="/docs/guides/first-requests">Get a key</a>
      </p>
    </section>
  )
}
