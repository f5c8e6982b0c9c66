import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApi } from '../../fuzz/openapi.js'
import { type Received, send } from '../../fuzz/send.js'
import { parityRoutes } from '../../parity/routes.js'
import { quickestDatabase } from '../../support/database/database.js'
import { amountOf, noteFigures, randomOf } from '../../support/figures.js'
import { RawSocket } from '../../support/peers/socket-client.js'
import { LATER_MARK } from './later-facts.js'
import { createQuestions, type Interface, type Question } from './questions.js'
import { type ClockedApp, type INSTANTS, startTwoWorlds, type TwoWorlds } from './two-worlds.js'

const SEED = Number(process.env.CLOCK_SEED ?? 60)
const QUESTIONS = amountOf('CLOCK_QUESTIONS', 1_000)

/** Headers of the connection and of the request, and what is left of a quota. */
const OF_REQUEST: ReadonlySet<string> = new Set([
  'date',
  'x-request-id',
  'x-ratelimit-remaining',
  'ratelimit',
  'connection',
  'keep-alive',
  'content-length',
])

let worlds: TwoWorlds
let draw: (random: () => number) => Question
beforeAll(async () => {
  worlds = await startTwoWorlds(quickestDatabase())
  const { body } = await worlds.earlier.app.rest<OpenApi>('/openapi-full.json')
  const documents = new Map(parityRoutes(body).map(({ name, document }) => [name, document]))
  draw = await createQuestions(worlds.earlier.app.database, documents)
})
afterAll(() => worlds?.close())

/** What came out of one question. */
interface Finding {
  readonly by: Interface
  readonly what: string
  readonly status: number
  readonly problem: string | null
}

describe(`${QUESTIONS} random operations by keys with a clock (seed ${SEED})`, { timeout: 3_600_000 }, () => {
  it('answer byte for byte as a gateway does that never learned the later facts, and have no mark of these', async () => {
    const random = randomOf(SEED)
    const sockets = await openSockets()
    const findings: Finding[] = []
    for (let at = 0; at < QUESTIONS; at += 1) {
      const question = draw(random)
      const instant = random() < 0.7 ? 'seeded' : 'october'
      const [later, earlier] = await Promise.all(
        [worlds.later, worlds.earlier].map((world) => ask(world, instant, question, sockets)),
      )
      if (later === undefined || earlier === undefined) throw new Error('there are two worlds')
      const { request, by } = question
      findings.push({
        by,
        what: `${instant} ${by} ${request.method} ${request.path} ${request.body ?? ''}`,
        status: later.status,
        problem: problemOf(question, later, earlier),
      })
    }
    for (const socket of sockets.values()) socket.socket.close()
    const problems = findings.filter(({ problem }) => problem !== null)
    noteFigures({
      part: `keys with a clock (seed ${SEED})`,
      done: countBy(findings),
      findings: problems.map(({ what, problem }) => `${what}: ${problem}`),
    })
    if (process.env.CLOCK_SHOW) show(findings)
    expect(problems.slice(0, 10)).toEqual([])
    // Most questions are answered, so that something could be revealed.
    for (const by of new Set(findings.map((one) => one.by)))
      expect([
        by,
        findings.filter((one) => one.by === by && one.status === 200).length > QUESTIONS / 60,
      ]).toEqual([by, true])
  })
})

async function openSockets(): Promise<ReadonlyMap<string, RawSocket>> {
  const opened = new Map<string, RawSocket>()
  for (const { app, past } of [worlds.later, worlds.earlier])
    for (const [name, key] of Object.entries(past))
      opened.set(`${app.url} ${name}`, await new RawSocket(app.url).initialised(key))
  return opened
}

async function ask(
  { app, past }: ClockedApp,
  instant: keyof typeof INSTANTS,
  { by, request }: Question,
  sockets: ReadonlyMap<string, RawSocket>,
): Promise<Received> {
  const key = past[instant] ?? ''
  const answer =
    by === 'websocket'
      ? await askSocket(sockets.get(`${app.url} ${instant}`), request.body ?? '')
      : await send(app.url, { ...request, headers: { accept: '*/*', ...request.headers, 'x-api-key': key } })
  return {
    ...answer,
    text: withoutRequest(answer.text, app.url),
    headers: withoutRequestHeaders(answer.headers),
  }
}

/** The ids of requests differ, and what is left of a quota tells what was charged before. */
function withoutRequest(text: string, url: string): string {
  return withSortedErrors(text)
    .replaceAll(url, 'URL')
    .replace(/(request_id\\*":\\*")[^"\\]*/g, '$1')
    .replace(/"remaining":\d+/g, '"remaining":0')
}

/** Fields of one operation run at the same time, so their errors come in any order. */
function withSortedErrors(text: string): string {
  if (!text.startsWith('{"errors":[')) return text
  const { errors, ...others } = JSON.parse(text)
  const sorted = errors.map((error: object) => JSON.stringify(error)).sort()
  return `{"errors":[${sorted}],${JSON.stringify(others).slice(1)}`
}

function withoutRequestHeaders(headers: Received['headers']): Received['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_REQUEST.has(name)))
}

async function askSocket(socket: RawSocket | undefined, body: string): Promise<Received> {
  if (socket === undefined) throw new Error('no socket is open')
  socket.send({ id: '1', type: 'subscribe', payload: JSON.parse(body) })
  const texts: string[] = []
  let status = 200
  for (;;) {
    const message = await socket.next()
    texts.push(JSON.stringify(message))
    if (message.type === 'error') status = 422
    if (message.type !== 'next') return { status, headers: {}, text: texts.join('\n') }
  }
}

function problemOf({ request }: Question, later: Received, earlier: Received): string | null {
  if (later.status !== earlier.status)
    return `status ${later.status}, not ${earlier.status}: ${differenceOf(later.text, earlier.text)}`
  if (later.text !== earlier.text) return differenceOf(later.text, earlier.text)
  const [own, other] = [JSON.stringify(later.headers), JSON.stringify(earlier.headers)]
  if (own !== other) return `headers: ${differenceOf(own, other)}`
  // An error may repeat what was asked.
  const asked = (decodeURIComponent(request.path) + (request.body ?? '')).toLowerCase()
  const said = later.text + own
  const mark = said.match(LATER_MARK)?.find((one) => !asked.includes(one.toLowerCase()))
  return mark === undefined ? null : `has the mark ${mark}: ${around(said, said.indexOf(mark))}`
}

function around(text: string, at: number): string {
  return `«${text.slice(Math.max(0, at - 60), at + 100)}»`
}

function differenceOf(one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return `${around(one, at)}, not ${around(other, at)}`
}

function countBy(findings: readonly Finding[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { by } of findings) counts[by] = (counts[by] ?? 0) + 1
  return counts
}

function show(findings: readonly Finding[]): void {
  const counts: Record<string, number> = {}
  for (const { by, status } of findings) counts[`${by} ${status}`] = (counts[`${by} ${status}`] ?? 0) + 1
  process.stdout.write(`${JSON.stringify(counts)}\n`)
  const problems = findings.filter(({ problem }) => problem !== null)
  process.stdout.write(`${problems.length} problems\n`)
  for (const { what, problem } of problems.slice(0, Number(process.env.CLOCK_SHOW)))
    process.stdout.write(`- ${what.slice(0, 260)}\n    ${problem?.slice(0, 420)}\n`)
}
