import type { JSX } from 'preact'
import type { ApiQuery, RestCall } from '../client/use-query.js'
import { config } from '../config.js'
import { CopyButton } from './code-block.js'
import { toCurl, toPython, toTypeScript } from './request-code.js'

/** Opens the query of a panel in GraphiQL, or copies the request in a language: of REST, or of GraphQL if no route returns the data. */
export function ApiCalls({ query }: { readonly query: ApiQuery }): JSX.Element {
  const calls = listCalls(query)
  return (
    <details class="calls">
      <summary>API</summary>
      <p class="actions">
        {!config.isTrustedOnly && (
          <a class="button plain small" href={toGraphiqlPath(query)}>
            Open in GraphiQL
          </a>
        )}
        <CopyButton label="Copy curl" text={calls.map(toCurl).join('\n')} />
        <CopyButton label="Copy Python" text={calls.map(toPython).join('\n\n')} />
        <CopyButton label="Copy TypeScript" text={calls.map(toTypeScript).join('\n\n')} />
      </p>
      {query.restNote !== undefined && <p class="quiet">{query.restNote}</p>}
    </details>
  )
}

/** The calls of REST that return the data of a query, else its call of GraphQL. */
export function listCalls({ document, variables, rest }: ApiQuery): readonly RestCall[] {
  if (rest.length > 0) return rest
  return [{ method: 'POST', path: '/graphql', body: { query: document, variables } }]
}

/** The address of GraphiQL with a query and its variables. */
export function toGraphiqlPath({ document, variables }: ApiQuery): string {
  const search = new URLSearchParams({ query: document, variables: JSON.stringify(variables, null, 2) })
  return `/graphql?${search}`
}
