import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** An answer of the gateway, to be given again as it is. */
export interface BareAnswer {
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Base64 of the bytes. */
  readonly body: string
}

// The limit of what Node.js can do: constants by path, nothing else.
// Written by the benchmark that starts this process.
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
