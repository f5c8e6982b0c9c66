import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Load } from './wrk.js'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Longest wait for a response. */
const ANSWER_MS = 30_000

/** Sends the request for one path of a load over the agent's connection. */
function ask({ origin, method, headers, body }: Load, path: string, agent: Agent): Promise<Answer> {
  const url = `${origin}${path}`
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

/** Number of characters of an unexpected response that are shown. */
const SHOWN = 300

/** The responses to all paths of a load, in order. Throws for another status than `status` and for GraphQL errors. */
export async function askAll(status: number, load: Load): Promise<readonly [Answer, ...Answer[]]> {
  const [first, ...more] = load.paths
  // The connection is used for these requests only, because the server may close an idle one before the next requests.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const answers: [Answer, ...Answer[]] = [await askFor(status, load, first, agent)]
    for (const path of more) answers.push(await askFor(status, load, path, agent))
    return answers
  } finally {
    agent.destroy()
  }
}

async function askFor(status: number, load: Load, path: string, agent: Agent): Promise<Answer> {
  const answer = await ask(load, path, agent)
  const text = answer.body.toString('utf8')
  if (answer.status === status && !text.startsWith('{"errors"')) return answer
  throw new Error(`${load.method} ${load.origin}${path} answered ${answer.status}: ${text.slice(0, SHOWN)}`)
}
