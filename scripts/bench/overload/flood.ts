import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Times, timesOf } from '../shared/figures.js'

export interface Flood {
  readonly port: number
  readonly apiKey: string
  readonly connections: number
  readonly seconds: number
  /** Returns the path of a request by its number. */
  readonly pathOf: (number: number) => string
}

export interface FloodResult {
  /** Responses 2xx per second, until the last one has arrived. */
  readonly answeredPerSecond: number
  /** Milliseconds of responses 2xx. */
  readonly answered: Times
  /** Milliseconds of responses 503. */
  readonly refused: Times
  /** Other responses by status, and broken connections by code. */
  readonly others: Readonly<Record<string, number>>
}

/** Pause of a refused client, the minimum of Retry-After. */
const AGAIN_MS = 1_000

/** Time limit of a response. */
const ANSWER_MS = 60_000

interface Answer {
  readonly outcome: string
  readonly ms: number
}

/** All connections send requests one after another, for some seconds. */
export async function flood({ port, apiKey, connections, seconds, pathOf }: Flood): Promise<FloodResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const answers: Answer[] = []
  const startedAt = performance.now()
  const end = startedAt + seconds * 1000
  let next = 0
  const client = async () => {
    while (performance.now() < end) {
      const answer = await ask({ agent, port, path: pathOf(next++), headers: { 'x-api-key': apiKey } })
      answers.push(answer)
      if (!isAnswered(answer)) await sleep(AGAIN_MS)
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  agent.destroy()
  return summary(answers, (performance.now() - startedAt) / 1000)
}

function ask(options: {
  readonly agent: Agent
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const done = (outcome: string) => resolve({ outcome, ms: performance.now() - startedAt })
    const request = get({ ...options, timeout: ANSWER_MS }, (response) => {
      response.resume()
      response.on('end', () => done(outcomeOf(response)))
      response.on('error', () => done('cut off'))
    })
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
  })
}

/** The status. A 503 without Retry-After is a separate outcome. */
function outcomeOf({ statusCode, headers }: IncomingMessage): string {
  return statusCode === 503 && headers['retry-after'] === undefined
    ? '503 without Retry-After'
    : String(statusCode)
}

function isAnswered({ outcome }: Answer): boolean {
  return outcome.startsWith('2')
}

function summary(answers: readonly Answer[], seconds: number): FloodResult {
  const times = (found: readonly Answer[]) => timesOf(found.map(({ ms }) => ms))
  const answered = answers.filter(isAnswered)
  const others: Record<string, number> = {}
  for (const answer of answers) {
    const { outcome } = answer
    if (!isAnswered(answer) && outcome !== '503') others[outcome] = (others[outcome] ?? 0) + 1
  }
  return {
    answeredPerSecond: answered.length / seconds,
    answered: times(answered),
    refused: times(answers.filter(({ outcome }) => outcome === '503')),
    others,
  }
}
