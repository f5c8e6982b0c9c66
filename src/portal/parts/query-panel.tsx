import type { ComponentChildren, JSX } from 'preact'
import { type ApiQuery, useQuery } from '../client/use-query.js'
import { ApiCalls } from './api-calls.js'
import { LoadedView, Panel } from './panel.js'

export interface QueryPanelProps<Data> {
  readonly title: string
  readonly query: ApiQuery
  readonly isWide?: boolean
  /** The data need no sign-in. */
  readonly isOpen?: boolean
  /** Shown above the data in every state, such as a choice of ranges. */
  readonly controls?: ComponentChildren
  readonly children: (data: Data) => ComponentChildren
}

/** A panel with the data of one query, and with the calls that return them. */
export function QueryPanel<Data>(props: QueryPanelProps<Data>): JSX.Element {
  const { title, query, isWide = false, isOpen = false, controls, children } = props
  const { loaded, reload } = useQuery<Data>(query, isOpen)
  return (
    <Panel title={title} isWide={isWide}>
      {controls}
      <LoadedView loaded={loaded} reload={reload}>
        {children}
      </LoadedView>
      <ApiCalls query={query} />
    </Panel>
  )
}
