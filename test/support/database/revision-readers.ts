import { setTimeout as sleep } from 'node:timers/promises'
import { addDays, toIsoDate } from '../../../src/core/time.js'
import type { Answer, TestApp } from '../app/app.js'
import { REVISED, valuesOf } from './forex-revisions.js'

interface Rates {
  readonly data: readonly { readonly rate: number }[]
}

/** One answer, as its client saw it. */
export interface Seen {
  readonly node: number
  readonly client: string
  readonly question: string
  readonly status: number
  readonly requestId: string
  /** Steady milliseconds. */
  readonly askedAt: number
  readonly answeredAt: number
  /** Every revision in the answer; of a 304 that of the answer it confirms. */
  readonly revisions: readonly number[]
  /** Of the dataset forex by X-Data-Version; null on a 304. */
  readonly version: number | null
}

const today = toIsoDate(new Date())
const RANGE = { from: addDays(today, -30), to: today }
const path = (quote: string) => `/v1/forex?quote=${quote}&from=${RANGE.from}&to=${RANGE.to}`
const root = (quote: string) =>
  `${quote}: forex(quote: "${quote}", from: "${RANGE.from}", to: "${RANGE.to}") { data { date rate } }`
const OPERATION = `{ ${REVISED.map(root).join(' ')} }`
const IN_URL = `/graphql?query=${encodeURIComponent(OPERATION)}`

/** The questions of a client, one after the other. */
const QUESTIONS = [path('USD'), '/graphql', path('JPY'), IN_URL, path('GBP')] as const

function revisionsOf(question: string, { body }: Answer): readonly number[] {
  if (question.startsWith('/v1/')) return valuesOf(body as Rates)
  const { data } = body as { readonly data: Readonly<Record<string, Rates>> }
  return [...new Set(Object.values(data).flatMap(valuesOf))]
}

function versionOf({ headers }: Answer): number | null {
  const [, version] = /\bforex=(\d+)/.exec(headers.get('x-data-version') ?? '') ?? []
  return version === undefined ? null : Number(version)
}

/** Asks on, each question after the one before, until it is over. GET answers are revalidated by every other client. */
export async function hammer(
  app: TestApp,
  who: { readonly node: number; readonly client: string; readonly key: string; readonly pauseMs: number },
  revalidates: boolean,
  run: { isOver(): boolean; note(answer: Seen): void },
): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  const held = new Map<string, { readonly tag: string; readonly revisions: readonly number[] }>()
  for (let call = 0; !run.isOver(); call++) {
    const question = QUESTIONS[call % QUESTIONS.length] ?? QUESTIONS[0]
    const known = revalidates ? held.get(question) : undefined
    const askedAt = performance.now()
    const answer = await app.rest(question, {
      key: who.key,
      ...(question === '/graphql' ? { method: 'POST', body: { query: OPERATION } } : {}),
      ...(known ? { headers: { 'if-none-match': known.tag } } : {}),
    })
    const revisions = answer.status === 304 ? (known?.revisions ?? []) : revisionsOf(question, answer)
    const { node, client } = who
    const requestId = answer.headers.get('x-request-id') ?? ''
    const [status, answeredAt, version] = [answer.status, performance.now(), versionOf(answer)]
    const answered = { node, client, question, status, requestId, askedAt, answeredAt, revisions, version }
    seen.push(answered)
    run.note(answered)
    const tag = answer.headers.get('etag')
    if (tag !== null) held.set(question, { tag, revisions })
    await sleep(who.pauseMs)
  }
  return seen
}

/** The answers, in order of time, that are older than what the same client got before. */
export function goneBack(seen: readonly Seen[]): readonly Seen[] {
  const lastBy = new Map<string, number>()
  return seen.filter(({ client, revisions: [shown = -1] }) => {
    const last = lastBy.get(client) ?? -1
    lastBy.set(client, shown)
    return shown < last
  })
}
