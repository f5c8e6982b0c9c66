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

/** Sends a GraphQL operation and counts the bytes of its response without storing them. */
export function post(options: {
  readonly port: number
  readonly agent: Agent
  readonly query: string
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
}): Promise<PostResult> {
  const { port, agent, query, timeoutMs } = options
  const startedAt = performance.now()
  const headers = { 'content-type': 'application/json', ...options.headers }
  return new Promise((resolve) => {
    let [bytes, text] = [0, '']
    const done = (outcome: string) => resolve({ outcome, ms: performance.now() - startedAt, bytes, text })
    const outgoing = request(
      { port, agent, method: 'POST', path: '/graphql', headers, signal: AbortSignal.timeout(timeoutMs) },
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
    outgoing.end(JSON.stringify({ query }))
  })
}

function nameOf({ code, name }: NodeJS.ErrnoException): string {
  return name === 'AbortError' || name === 'TimeoutError' ? 'no answer' : (code ?? name)
}
