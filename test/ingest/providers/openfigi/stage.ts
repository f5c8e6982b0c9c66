import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../../src/platform/http-client/provider-addresses.js'
import { createLogger } from '../../../../src/platform/logger.js'

/** `body` is that of the request. */
export type Answer = (response: ServerResponse, body: string) => void

/** A row as OpenFIGI sends it: the composite of Apple. */
export const APPLE = {
  figi: 'BBG000B9XRY4',
  name: 'APPLE INC',
  ticker: 'AAPL',
  exchCode: 'US',
  compositeFIGI: 'BBG000B9XRY4',
  securityType: 'Common Stock',
  marketSector: 'Equity',
  shareClassFIGI: 'BBG001S5N8V8',
  securityType2: 'Common Stock',
  securityDescription: 'AAPL',
}

/** A body of 200 with JSON, or as it is when text. */
export const sends =
  (body: unknown): Answer =>
  (response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

export const fails =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end('no')

export const neverAnswers: Answer = () => {}

/** A job of a request. */
interface AskedJob {
  readonly idType: string
  readonly idValue: string
  readonly exchCode?: string
}

const jobsIn = (body: string) => JSON.parse(body) as readonly AskedJob[] // as the gateway writes them

/** A server in the part of OpenFIGI: gives the answers in turn, the last one again and again. */
export class OpenFigiStage {
  readonly asked: { method: string; url: string; key: string | undefined; body: string }[] = []
  #answers: readonly Answer[] = []
  #url = ''
  readonly #server = createServer((request, response) => void this.#play(request, response))

  /** From now on; what was asked before is forgotten. */
  play(...answers: readonly Answer[]): void {
    this.#answers = answers
    this.asked.length = 0
  }

  /** From now on each job gets the rows of its identifier; an identifier without rows is unknown. */
  answer(rows: Readonly<Record<string, readonly object[]>>): void {
    this.play((response, body) => {
      const results = jobsIn(body).map(({ idValue }) =>
        rows[idValue] === undefined ? { warning: 'No identifier found.' } : { data: rows[idValue] },
      )
      sends(results)(response, body)
    })
  }

  /** The jobs of each request. */
  get jobs(): readonly (readonly AskedJob[])[] {
    return this.asked.map(({ body }) => jobsIn(body))
  }

  /** The identifiers of all requests. */
  get identifiers(): readonly string[] {
    return this.jobs.flat().map(({ idValue }) => idValue)
  }

  /** A client whose requests to OpenFIGI come here. */
  client(path = '') {
    const http = createHttpClient({ log: createLogger('silent'), userAgent: 'test/1' })
    return withProviderUrls(http, { openfigi: this.#url + path })
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as AddressInfo // listening on TCP
    this.#url = `http://127.0.0.1:${port}`
    return this.#url
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  async #play(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding was set
    const key = request.headers['x-openfigi-apikey']
    const body = Buffer.concat(chunks).toString()
    this.asked.push({
      method: request.method ?? '',
      url: request.url ?? '',
      key: Array.isArray(key) ? key[0] : key,
      body,
    })
    const answer = this.#answers[this.asked.length - 1] ?? this.#answers.at(-1)
    answer?.(response, body)
  }
}
