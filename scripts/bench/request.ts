import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Load } from './wrk.js'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Longest a single answer is waited for. */
const ANSWER_MS = 30_000

/** Sends a request once, over a connection that is kept. */
export function ask({ url, method, headers, body }: Load): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent, timeout: ANSWER_MS }
    const outgoing = request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer of ${url} in ${ANSWER_MS} ms`)))
    outgoing.end(body ?? undefined)
  })
}

/** Characters of an unexpected answer that are shown. */
const SHOWN = 300

/** The answer to a request; throws with what came instead of `status`, and of GraphQL data. */
export async function askFor(status: number, load: Load): Promise<Answer> {
  const answer = await ask(load)
  const text = answer.body.toString('utf8')
  if (answer.status === status && !text.startsWith('{"errors"')) return answer
  throw new Error(`${load.method} ${load.url} answered ${answer.status}: ${text.slice(0, SHOWN)}`)
}
