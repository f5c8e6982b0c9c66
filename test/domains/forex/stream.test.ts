import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeRevisionCursor } from '../../../src/platform/request/revision-cursor.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { commitRevision, REVISED } from '../../support/database/forex-revisions.js'
import { openEventStream, readEvents } from '../../support/peers/event-stream.js'
import { socketClient } from '../../support/peers/socket-client.js'

interface Rate {
  readonly cursor: string
  readonly quote: string
  readonly date: string
  readonly rate: number
}

const FIELDS = '{ cursor base quote date rate known_from source _meta { freshness_status } }'

describe('the subscription forex', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  /** So many events over a WebSocket, or server-sent events. */
  async function take(count: number, args: string, isSocket: boolean): Promise<readonly Rate[]> {
    const query = `subscription { forex(${args}) ${FIELDS} }`
    const taken: Rate[] = []
    if (isSocket) {
      const client = socketClient(app.url, { 'X-API-Key': key })
      for await (const { data } of client.iterate<{ forex: Rate }>({ query })) {
        if (data) taken.push(data.forex)
        if (taken.length === count) break
      }
      await client.dispose()
      return taken
    }
    const { response, kill } = await openEventStream(app.url, query, key)
    for await (const event of readEvents<{ data?: { forex: Rate } }>(response)) {
      if (typeof event !== 'string' && event.data) taken.push(event.data.forex)
      if (taken.length === count) break
    }
    kill()
    return taken
  }
  const now = () => encodeRevisionCursor({ knownFrom: app.clock.now(), key: '' })
  const revise = (value: number) => commitRevision(app, value)

  it('sends each new rate once, over interruptions of both transports', async () => {
    app.clock.advance(1_000) // what the seed has is known before
    const start = now()
    await revise(2)
    // The day of the revision and the fourteen before it.
    const due = 15 * REVISED.length
    const seen = [...(await take(7, `cursor: "${start}"`, true))]
    seen.push(...(await take(20, `cursor: "${seen.at(-1)?.cursor}"`, false)))
    seen.push(...(await take(due - 27, `cursor: "${seen.at(-1)?.cursor}"`, true)))
    expect(new Set(seen.map(({ quote, date }) => `${quote} ${date}`)).size).toBe(due)
    expect(seen[0]).toMatchObject({
      base: 'EUR',
      rate: 2,
      source: 'seed',
    })
    const last = seen.at(-1)?.cursor
    await revise(3)
    const next = await take(15, `quote: ["GBP"], cursor: "${last}"`, false)
    expect(next.map(({ quote, rate }) => [quote, rate])).toEqual(next.map(() => ['GBP', 3]))
    expect(next.map(({ date }) => date)).toEqual(next.map(({ date }) => date).toSorted())
  })

  it('resumes after the event whose id an EventSource sends, whatever cursor its address has', async () => {
    app.clock.advance(1_000)
    const start = now()
    await revise(6)
    const query = `subscription { forex(quote: ["USD"], cursor: "${start}") { cursor date } }`
    const address = `${app.url}/graphql?query=${encodeURIComponent(query)}`
    const open = async (lastEventId: string | null, count: number) => {
      const abort = new AbortController()
      const headers = {
        accept: 'text/event-stream',
        'x-api-key': key,
        ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
      }
      const response = await fetch(address, { headers, signal: abort.signal })
      let text = ''
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString()
        if (text.split('\nid: ').length > count) break
      }
      abort.abort()
      return [...text.matchAll(/^event: next\ndata: (.*)\nid: (.*)\n\n/gm)].map(([, data = '', id]) => {
        const { forex } = (JSON.parse(data) as { data: { forex: Rate } }).data
        expect(id).toBe(forex.cursor)
        return forex
      })
    }
    const first = (await open(null, 4)).slice(0, 3)
    const rest = (await open(first.at(-1)?.cursor ?? null, 4)).slice(0, 3)
    const days = [...first, ...rest].map(({ date }) => date)
    expect(new Set(days).size).toBe(6)
    expect(days).toEqual(days.toSorted())
  })

  it('sends rates that are committed while it is open', async () => {
    const client = socketClient(app.url, { 'X-API-Key': key })
    const events = client.iterate<{ forex: Rate }>({
      query: `subscription { forex(quote: "USD", cursor: "${now()}") ${FIELDS} }`,
    })
    for (const value of [4, 5]) {
      const first = events.next()
      await revise(value)
      expect((await first).value?.data?.forex).toMatchObject({ quote: 'USD', rate: value })
      for (let count = 1; count < 15; count++)
        expect((await events.next()).value?.data?.forex.rate).toBe(value)
    }
    await client.dispose()
  })

  it('is refused with the reason', async () => {
    const refused = async (args: string) => {
      const { response } = await openEventStream(app.url, `subscription { forex(${args}) { cursor } }`, key)
      const body = (await response.json()) as { errors: { extensions: { details: { message: string }[] } }[] }
      return [response.status, body.errors[0]?.extensions.details.map(({ message }) => message)]
    }
    const old = encodeRevisionCursor({ knownFrom: new Date('2026-11-01T00:00:00Z'), key: '' })
    expect(await refused(`quote: ["USX", "EUR"], cursor: "${old}"`)).toEqual([
      422,
      [
        'must be at most 14 days old; got one of 2026-11-01T00:00:00.000Z. Read the series, then subscribe without a cursor',
        'must be a currency that the European Central Bank quotes; got USX; did you mean USD?',
        'must differ from base; got EUR for both',
      ],
    ])
    expect(await refused('cursor: "x"')).toEqual([
      422,
      ['must be the cursor of an event of this subscription'],
    ])
  })
})
