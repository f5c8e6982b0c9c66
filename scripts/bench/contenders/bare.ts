import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** A response of the gateway, which this server repeats. */
export interface BareAnswer {
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Base64 of the bytes. */
  readonly body: string
}

// The limit of Node.js: constant responses by path, and nothing else. The benchmark that starts this process writes them.
const answers = JSON.parse(readFileSync(process.env.ANSWERS ?? '', 'utf8')) as readonly BareAnswer[]
const byPath = new Map(
  answers.map(({ path, status, headers, body }) => [
    path,
    { status, headers, bytes: Buffer.from(body, 'base64') },
  ]),
)

createServer((request, response) => {
  const answer = byPath.get(request.url ?? '')
  if (answer === undefined) response.writeHead(404).end()
  else response.writeHead(answer.status, answer.headers).end(answer.bytes)
}).listen(Number(process.env.PORT), '127.0.0.1')
