import { Agent, get } from 'node:http'
import { type Times, timesOf } from '../shared/figures.js'

/** Longest wait for an answer: a longer wait is counted as this long. */
const ANSWER_MS = 60_000

/** Number of different pages, so that each is new to the data version. */
const COLD_PATHS = 1_000

export interface Answered {
  /** Milliseconds since a request was due, so that waiting for an earlier one counts. */
  readonly cold: Times
  readonly warm: Times
  /** Responses other than 200, and broken connections. */
  readonly failures: number
}

export interface LoadOptions {
  readonly port: number
  readonly apiKey: string
  /** Requests per second of each kind. */
  readonly rate: number
}

/**
 * Requests the list of assets at a steady rate until the work is over: the same page (mostly cached), and new pages.
 */
export async function steadyLoad<T>(
  { port, apiKey, rate }: LoadOptions,
  work: Promise<T>,
): Promise<{ readonly result: T; readonly answered: Answered }> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const samples = { cold: [] as number[], warm: [] as number[] }
  const open = new Set<Promise<void>>()
  let failures = 0
  const ask = (kind: 'cold' | 'warm', path: string, due: number) => {
    const answer = new Promise<void>((resolve) => {
      const request = get({ port, path, agent, headers: { 'x-api-key': apiKey } }, (response) => {
        response.resume()
        response.on('close', () => {
          samples[kind].push(performance.now() - due)
          if (response.statusCode !== 200) failures += 1
          resolve()
        })
      })
      request.setTimeout(ANSWER_MS, () => request.destroy(new Error('no answer')))
      request.on('error', () => {
        samples[kind].push(performance.now() - due)
        failures += 1
        resolve()
      })
    })
    open.add(answer)
    void answer.finally(() => open.delete(answer))
  }
  let due = performance.now()
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += 1_000 / rate) {
      ask('warm', '/v1/assets?limit=20', due)
      ask('cold', nextColdPath(), due)
    }
  }, 5)
  const result = await work.finally(() => clearInterval(timer))
  await Promise.all(open)
  agent.destroy()
  return { result, answered: { cold: timesOf(samples.cold), warm: timesOf(samples.warm), failures } }
}

let asked = 0

function nextColdPath(): string {
  asked = (asked + 1) % COLD_PATHS
  return `/v1/assets?limit=${1 + (asked % 100)}&offset=${Math.floor(asked / 100)}`
}
