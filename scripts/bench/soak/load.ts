import { setTimeout as sleep } from 'node:timers/promises'
import { runOddity } from './oddities.js'
import type { Question, QuestionKind } from './question.js'
import type { Target } from './target.js'

/** Results of the requests of a soak. */
export interface LoadCounts {
  /** Number of responses by kind and status: `forex 200`. */
  readonly answers: ReadonlyMap<string, number>
  /** Unexpected responses, with an example of each. */
  readonly unexpected: ReadonlyMap<string, string>
  /** Number of due requests. */
  readonly due: number
  /** Number of skipped requests, because too many were open: the gateway is slower than the rate. */
  readonly skipped: number
  /** Number of aborted connections, and of streams that were opened and closed. */
  readonly oddities: number
}

/** Interval at which all due requests are sent together. */
const TICK_MS = 20

/** Most open requests. More would only wait in the gateway, and their memory is not a leak. */
const MAX_OPEN = 200

/** Share of all requests that are aborted or stay open. */
const ODD_SHARE = 0.01

/** The last responses with an ETag, which are requested again with it. */
const KEPT_TAGS = 100
const TAGGED_SHARE = 0.1

/** A response that takes longer counts as missing. */
const ANSWER_MS = 20_000

/** Number of kept characters of an unexpected response. */
const SHOWN_CHARACTERS = 300

/** Sends requests at a steady rate until the signal fires. Resolves after the last response. */
export async function sendLoad(
  target: Target,
  kinds: readonly QuestionKind[],
  options: { readonly perSecond: number; readonly signal: AbortSignal },
): Promise<LoadCounts> {
  const sender = new Sender(target, kinds)
  const startedAt = performance.now()
  let sent = 0
  while (!options.signal.aborted) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * options.perSecond)
    for (; sent < due; sent++) sender.sendOne()
    await sleep(TICK_MS)
  }
  return sender.finish()
}

class Sender {
  readonly #target: Target
  readonly #kinds: readonly QuestionKind[]
  readonly #totalWeight: number
  readonly #open = new Set<Promise<void>>()
  readonly #tagged: Question[] = []
  readonly #answers = new Map<string, number>()
  readonly #unexpected = new Map<string, string>()
  #due = 0
  #skipped = 0
  #oddities = 0

  constructor(target: Target, kinds: readonly QuestionKind[]) {
    this.#target = target
    this.#kinds = kinds
    this.#totalWeight = kinds.reduce((sum, { weight }) => sum + weight, 0)
  }

  sendOne(): void {
    this.#due += 1
    if (this.#open.size >= MAX_OPEN) {
      this.#skipped += 1
      return
    }
    const work = Math.random() < ODD_SHARE ? this.#disturb() : this.#ask(this.#draw())
    this.#open.add(work)
    work.finally(() => this.#open.delete(work))
  }

  async finish(): Promise<LoadCounts> {
    await Promise.all(this.#open)
    return {
      answers: this.#answers,
      unexpected: this.#unexpected,
      due: this.#due,
      skipped: this.#skipped,
      oddities: this.#oddities,
    }
  }

  #draw(): Question {
    const tagged = this.#tagged[Math.floor(Math.random() * KEPT_TAGS)]
    if (tagged !== undefined && Math.random() < TAGGED_SHARE) return tagged
    let place = Math.random() * this.#totalWeight
    const kind = this.#kinds.find(({ weight }) => {
      place -= weight
      return place < 0
    })
    return (kind ?? firstOf(this.#kinds)).make()
  }

  async #disturb(): Promise<void> {
    this.#oddities += 1
    await runOddity(this.#target)
  }

  async #ask(question: Question): Promise<void> {
    try {
      const response = await fetch(this.#target.url + question.path, {
        method: question.method,
        headers: { 'x-api-key': this.#target.apiKey, ...question.headers },
        signal: AbortSignal.timeout(ANSWER_MS),
        ...(question.body === null ? {} : { body: question.body }),
      })
      const text = await response.text()
      this.#note(
        question,
        String(response.status),
        question.statuses.includes(response.status),
        text.slice(0, SHOWN_CHARACTERS),
      )
      this.#keepTag(question, response)
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      // The gateway responds to a body over the limit, and closes the connection, while the body is still being sent.
      const words = `${question.method} ${question.path} ${question.body?.slice(0, SHOWN_CHARACTERS) ?? ''}: ${error}`
      const outcome = isLate ? 'not answered' : 'cut off'
      this.#note(question, outcome, !isLate && question.statuses.includes(413), words)
    }
  }

  #keepTag(question: Question, { status, headers }: Response): void {
    const tag = headers.get('etag')
    if (status !== 200 || tag === null || !question.path.startsWith('/v1')) return
    if (this.#tagged.length === KEPT_TAGS) this.#tagged.shift()
    const conditional = { ...question.headers, 'if-none-match': tag }
    // A 200 is also right, because a response that depends on the clock may have changed meanwhile.
    this.#tagged.push({
      ...question,
      kind: `${question.kind} again`,
      headers: conditional,
      statuses: [304, 200],
    })
  }

  #note({ kind }: Question, outcome: string, isExpected: boolean, text: string): void {
    const key = `${kind} ${outcome}`
    this.#answers.set(key, (this.#answers.get(key) ?? 0) + 1)
    if (!isExpected) this.#unexpected.set(key, text)
  }
}

function firstOf<Of>(list: readonly Of[]): Of {
  const [first] = list
  if (first === undefined) throw new Error('there is nothing to ask')
  return first
}
