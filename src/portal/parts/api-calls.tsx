import type { JSX } from 'preact'
import type { ApiQuery, RestCall } from '../client/use-query.js'
import { CodeBlock } from './code-block.js'

/** The query behind a panel and the same request in REST, both to copy. */
export function ApiCalls({
  query: { document, variables, rest, restNote },
}: {
  readonly query: ApiQuery
}): JSX.Element {
  return (
    <div class="calls">
      <details>
        <summary>Show the query</summary>
        <CodeBlock name="query" text={document} />
        {Object.keys(variables).length > 0 && (
          <CodeBlock name="variables" text={JSON.stringify(variables, null, 2)} />
        )}
      </details>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length === 1 ? 'Show the REST call' : 'Show the REST calls'}</summary>
          <CodeBlock
            name={rest.length === 1 ? 'REST call' : 'REST calls'}
            text={rest.map(toCommandLine).join('\n')}
          />
          {restNote !== undefined && <p>{restNote}</p>}
        </details>
      )}
    </div>
  )
}

function toCommandLine({ method, path, body }: RestCall): string {
  const sent = body === undefined ? '' : ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
  return `curl${method === 'GET' ? '' : ` -X ${method}`} -H "X-API-Key: $KEY"${sent} '${location.origin}${path}'`
}
