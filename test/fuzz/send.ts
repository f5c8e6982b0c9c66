import { Agent, request } from 'node:http'
import { receivedText } from '../support/peers/received-text.js'
import type { FuzzRequest } from './requests.js'

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** Nothing that is allowed takes as long. */
const TIMEOUT_MS = 10_000

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Sends a request as it is: no part of the address is tidied up. Rejects where no answer comes in time. */
export function send(url: string, { method, path, headers, body }: FuzzRequest): Promise<Received> {
  const { hostname, port } = new URL(url)
  return new Promise((done, fail) => {
    const asked = request(
      { agent, hostname, port, method, path, headers, timeout: TIMEOUT_MS },
      (response) => {
        const { statusCode: status = 0, headers } = response
        receivedText(response).then((text) => done({ status, headers, text }), fail)
      },
    )
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
    asked.on('error', fail)
    asked.end(body ?? undefined)
  })
}
