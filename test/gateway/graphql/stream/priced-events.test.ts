import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeCursor } from '../../../../src/core/change-position.js'
import { ANALYSIS_CHANGES } from '../../../../src/domains/analysis/changes/change-store.js'
import { encodeRevisionCursor } from '../../../../src/platform/request/revision-cursor.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../../support/database/database.js'
import { openEventStream, readEvents } from '../../../support/peers/event-stream.js'
import { socketClient } from '../../../support/peers/socket-client.js'

interface Sent {
  readonly data?: { readonly forex: { readonly cursor: string } | null } | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions: { readonly code: string; readonly retry_after?: number }
  }[]
}

interface Usage {
  readonly policies: readonly { readonly policy: string; readonly used: number }[]
  readonly days: readonly object[]
}

/** Reads what one subscription is sent; `end` says that the gateway ended it. */
interface Reader {
  next(): Promise<Sent | 'end'>
  close(): Promise<void>
}

const HOUR_MS = 3_600_000

/** 13 days before the end of the seeded world: the rates that became known since are replayed. */
const BEFORE = encodeRevisionCursor({ knownFrom: new Date(SEEDED_AT.getTime() - 13 * 24 * HOUR_MS), key: '' })
const forex = (cursor: string) => `subscription { forex(cursor: "${cursor}") { cursor date rate } }`

const TRANSPORTS: Readonly<Record<string, (app: TestApp, key: string, query: string) => Promise<Reader>>> = {
  'server-sent events': async ({ url }, key, query) => {
    const { response, kill } = await openEventStream(url, query, key)
    const events = readEvents<Sent>(response)
    const next = async (): Promise<Sent | 'end'> => {
      const { done, value } = await events.next()
      if (done || value === 'complete') return 'end'
      return value === 'ping' ? next() : value
    }
    return { next, close: async () => kill() }
  },
  'a WebSocket': async ({ url }, key, query) => {
    const client = socketClient(url, { 'X-API-Key': key })
    const results = client.iterate({ query })
    const next = async (): Promise<Sent | 'end'> => {
      const { done, value } = await results.next()
      return done ? 'end' : (value as Sent)
    }
    return { next, close: async () => client.dispose() }
  },
}

describe.each(Object.entries(TRANSPORTS))('the events of a subscription over %s', (_, open) => {
  let app: TestApp
  let key: string
  let reader: Reader | null = null
  beforeEach(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
  })
  afterEach(async () => {
    await reader?.close()
    reader = null
    await app?.close()
  })

  const setQuotas = async (hour: number, month: number) => {
    await app.database.script(
      `update account set quota_hour = ${hour}, quota_month = ${month} where tier = 'enterprise'`,
    )
    app.clock.advance(2_000) // the account is read again
  }
  const subscribe = async (query: string) => {
    reader = await open(app, key, query)
    return reader
  }
  /** The cursors of the next events, up to what is no event. */
  const read = async ({ next }: Reader, atMost = Number.POSITIVE_INFINITY) => {
    const cursors: string[] = []
    let last: Sent | 'end' | null = null
    while (cursors.length < atMost) {
      last = await next()
      if (last === 'end' || !last.data?.forex) break
      cursors.push(last.data.forex.cursor)
    }
    return { cursors, last }
  }
  /** The cursors of the events that an account with quota is sent after a cursor. */
  const unbounded = async (count: number, cursor = BEFORE) => {
    const other = await open(app, await app.newKey({ tier: 'pro' }), forex(cursor))
    const { cursors } = await read(other, count)
    await other.close()
    return cursors
  }
  const usage = async () => (await app.rest<Usage>('/v1/usage', { key })).body

  it('each cost as much as the subscription: 7 units give 7 events, and the stream pauses until the next hour', async () => {
    await setQuotas(7, 1_000)
    const stream = await subscribe(forex(BEFORE))
    const first = await read(stream)
    expect(first.cursors).toHaveLength(7)
    expect(first.last).toMatchObject({
      errors: [
        {
          message:
            'Hourly limit of 7 units reached. The subscription pauses and continues by itself at 2026-11-20T13:00:00.000Z; nothing is lost.',
          extensions: { code: 'RATE_LIMITED', retry_after: Date.parse('2026-11-20T13:00:00Z') / 1000 },
        },
      ],
    })
    app.clock.advance(HOUR_MS)
    const second = await read(stream)
    expect(second.cursors).toHaveLength(7)
    expect(second.last).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
    expect([...first.cursors, ...second.cursors]).toEqual(await unbounded(14))
  })

  it('end when the month is spent, and continue after the last cursor when quota is available again', async () => {
    await setQuotas(1_000, 9)
    const stream = await subscribe(forex(BEFORE))
    const { cursors, last } = await read(stream)
    expect(cursors).toHaveLength(9)
    expect(last).toMatchObject({
      errors: [
        {
          message:
            'Monthly limit of 9 units reached. The subscription ends; open it again with the cursor of its last event from 2026-12-01T00:00:00.000Z on.',
          extensions: { code: 'RATE_LIMITED', retry_after: Date.parse('2026-12-01T00:00:00Z') / 1000 },
        },
      ],
    })
    expect(await stream.next()).toBe('end')
    expect((await usage()).policies).toMatchObject([
      { policy: 'hour', used: 9 },
      { policy: 'month', used: 9 },
    ])
    expect([...cursors, ...(await unbounded(3, cursors.at(-1)))]).toEqual(await unbounded(12))
  })

  it('are in the usage as units of one request', async () => {
    await setQuotas(1_000, 10_000)
    const { cursors } = await read(await subscribe(forex(BEFORE)), 5)
    expect(cursors).toHaveLength(5)
    await reader?.close()
    // One more may have been made for a reader that had gone.
    const used = async () => (await usage()).policies[0]?.used ?? 0
    expect(await used()).toBeGreaterThanOrEqual(5)
    const units = await used()
    await expect
      .poll(async () => (await usage()).days)
      .toEqual([{ date: '2026-11-20', operation: 'forex', units, requests: 1 }])
  })

  it('are free if the gateway fails to answer them', async () => {
    await setQuotas(1_000, 10_000)
    const query = `subscription { forex(cursor: "${BEFORE}") { cursor source } }`
    const stream = await subscribe(query)
    const before = await read(stream, 2)
    expect(before.cursors).toHaveLength(2)
    await app.database.script(`delete from dataset_state where dataset = 'forex'`)
    app.clock.advance(1_000) // versions are read again every half second
    const { cursors, last } = await read(stream)
    expect(last).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
    for (let event = 0; event < 3; event++) expect(await stream.next()).toHaveProperty('errors')
    const sent = before.cursors.length + cursors.length
    await reader?.close()
    // The event that is answered just now is charged, and given back with its answer.
    await expect
      .poll(async () => (await usage()).policies)
      .toMatchObject([
        { policy: 'hour', used: sent },
        { policy: 'month', used: sent },
      ])
    await expect
      .poll(async () => (await usage()).days)
      .toEqual([{ date: '2026-11-20', operation: 'forex', units: sent, requests: 1 }])
  })

  it('cost what their selection costs', async () => {
    const everything = { since: null, analysisType: null, changeType: null, source: 'seed' }
    const page = { after: null, limit: 1 }
    const [first] = await ANALYSIS_CHANGES.loadAfter(app.database, everything, page)
    if (first === undefined) throw new Error('the seeded world has changes')
    const query = `subscription { ai_analysis_changes(cursor: "${changeCursor(first)}") {
      cursor item { asset { ohlcv(timeframe: "1d", limit: 365) { candles { ts } } } from_snapshot { asset_id } } } }`
    const dry = await app.graphql(query, {
      key: await app.newKey({ tier: 'pro' }),
      headers: { accept: 'application/json, text/event-stream', 'x-dry-run': 'cost' },
    })
    const price = dry.body.extensions?.cost?.price ?? 0
    expect(price).toBeGreaterThan(1)
    await setQuotas(3 * price + 1, 1_000)
    const stream = await subscribe(query)
    for (let event = 0; event < 3; event++)
      expect(await stream.next()).toHaveProperty('data.ai_analysis_changes')
    expect(await stream.next()).toMatchObject({
      errors: [
        {
          message: expect.stringContaining(
            `This costs ${price} units, and 1 of the hourly limit of ${3 * price + 1} are left.`,
          ),
        },
      ],
    })
  })
})
