import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { runQuery, sendRequest } from '../client/request.js'
import { config } from '../config.js'
import { Badge, DataTable, Panel } from '../parts/panel.js'

/** What needs longer does not answer. */
const ANSWER_MS = 10_000

interface Interface {
  readonly name: string
  readonly path: string
  /** Rejects unless the interface answers. Free of charge. */
  readonly check: () => Promise<unknown>
}

const REST = 'REST'

const INTERFACES: readonly Interface[] = [
  { name: REST, path: '/v1', check: () => sendRequest('GET', '/v1/datasets') },
  { name: 'GraphQL', path: '/graphql', check: () => runQuery('{ __typename }', {}) },
  { name: 'WebSocket', path: '/graphql', check: openSocket },
]

function openSocket(): Promise<void> {
  return new Promise((resolve, reject) => {
    const address = new URL('/graphql', location.href.replace(/^http/, 'ws'))
    const socket = new WebSocket(address, 'graphql-transport-ws')
    const timer = setTimeout(() => socket.close(), ANSWER_MS)
    socket.onopen = () => {
      resolve()
      socket.close()
    }
    socket.onclose = () => {
      clearTimeout(timer)
      reject(new Error('The connection was closed.'))
    }
  })
}

type Result = { readonly isUp: true; readonly ms: number } | { readonly isUp: false }

/** Whether each interface answers this browser. The gateway keeps no record of when it was stopped. */
export function InterfacesPanel(): JSX.Element {
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  useEffect(() => {
    let isCurrent = true
    const note = (name: string, result: Result) => {
      if (isCurrent) setResults((known) => new Map(known).set(name, result))
    }
    for (const { name, check } of INTERFACES) {
      const began = performance.now()
      check().then(
        () => note(name, { isUp: true, ms: Math.round(performance.now() - began) }),
        () => note(name, { isUp: false }),
      )
    }
    return () => {
      isCurrent = false
    }
  }, [])
  return (
    <Panel title="Interfaces">
      <DataTable label="Interfaces" columns={['Interface', 'State']}>
        {INTERFACES.map(({ name, path }) => (
          <InterfaceRow key={name} name={name} path={path} result={results.get(name)} />
        ))}
        {config.interfaces.map(({ name, title, path }) => (
          <InterfaceRow key={name} name={title} path={path} result={results.get(REST)} />
        ))}
      </DataTable>
      {config.interfaces.length > 0 && (
        <p class="quiet">
          Interfaces below /compat translate requests into those of REST, which answers for them.
        </p>
      )}
      <p class="quiet">
        Asked by this browser when the page was opened. The gateway keeps no record of times in which it was
        stopped, so no days are shown.
      </p>
    </Panel>
  )
}

interface InterfaceRowProps {
  readonly name: string
  readonly path: string
  readonly result: Result | undefined
}

function InterfaceRow({ name, path, result }: InterfaceRowProps): JSX.Element {
  return (
    <tr>
      <th scope="row">
        {name}
        <br />
        <code class="quiet">{path}</code>
      </th>
      <td>
        <Answer result={result} />
      </td>
    </tr>
  )
}

function Answer({ result }: { readonly result: Result | undefined }): JSX.Element {
  if (result === undefined) return <Badge tone="quiet" text="checking…" />
  if (!result.isUp) return <Badge tone="bad" text="does not answer" />
  return (
    <>
      <Badge tone="good" text="answers" /> <span class="quiet number">in {result.ms} ms</span>
    </>
  )
}
