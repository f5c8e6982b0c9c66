import { type Agent, request } from 'node:http'

export interface PostResult {
  /** Status, or the code of the connection's error. */
  readonly outcome: string
  readonly ms: number
  /** Size of the response body. */
  readonly bytes: number
  /** The first characters of the body. */
  readonly text: string
}

const SHOWN = 200

interface Sent {
  readonly port: number
  readonly agent: Agent
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** Sends a GraphQL operation and counts the bytes of its response without storing them. */
export function post({ query, ...sent }: Sent & { readonly query: string }): Promise<PostResult> {
  return postBody({ ...sent, body: JSON.stringify({ query }) })
}

/** Sends a body to GraphQL. */
export function postBody({ headers, body, ...sent }: Sent & { readonly body: string }): Promise<PostResult> {
  const typed = { 'content-type': 'application/json', ...headers }
  return send({ ...sent, headers: typed }, 'POST', '/graphql', body)
}

export function get({ path, ...sent }: Sent & { readonly path: string }): Promise<PostResult> {
  return send(sent, 'GET', path, '')
}

function send(
  { port, agent, headers = {}, timeoutMs }: Sent,
  method: string,
  path: string,
  body: string,
): Promise<PostResult> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    let [bytes, text] = [0, '']
    const done = (outcome: string) => resolve({ outcome, ms: performance.now() - startedAt, bytes, text })
    const outgoing = request(
      { port, agent, method, path, headers, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        response.on('data', (chunk: Buffer) => {
          if (text.length < SHOWN) text += chunk.toString('utf8', 0, SHOWN)
          bytes += chunk.length
        })
        response.on('end', () => done(String(response.statusCode)))
        response.on('error', (error: NodeJS.ErrnoException) => done(nameOf(error)))
      },
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => done(nameOf(error)))
    outgoing.end(body)
  })
}

function nameOf({ code, name }: NodeJS.ErrnoException): string {
  return name === 'AbortError' || name === 'TimeoutError' ? 'no answer' : (code ?? name)
}
