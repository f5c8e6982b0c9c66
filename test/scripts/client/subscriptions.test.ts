import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { encodeRevisionCursor } from '../../../src/platform/request/revision-cursor.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { commitRevision, REVISED } from '../../support/database/forex-revisions.js'
import { type CuttableProxy, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'
import { type Installed, InstalledClient, mayMakeClient } from './installed-client.js'
import { playGateway } from './played-gateway.js'

/** A revision is of the last 14 days and its own. */
const REVISED_DAYS = 15

describe.runIf(await mayMakeClient())('a subscription of the typed client', { timeout: 120_000 }, () => {
  let app: TestApp
  let proxy: CuttableProxy
  let key: string
  let package_: Installed
  beforeAll(async () => {
    const installed = new InstalledClient()
    ;[app] = await Promise.all([startTestApp(quickestDatabase()), installed.install()])
    package_ = await installed.load()
    app.clock.advance(1_000) // what the seed has is known before
  }, 600_000)
  afterAll(() => app?.close())
  beforeEach(async () => {
    opened = 0
    key = await app.newKey({ tier: 'pro' })
    proxy = await startCuttableProxy(app.url)
  })
  afterEach(() => proxy?.close())

  /** Streams that clients of this test have seen open. */
  let opened = 0
  let onOpened = () => {}
  const counted: typeof fetch = async (...args) => {
    const response = await fetch(...args)
    if (response.headers.get('content-type') === 'text/event-stream') {
      opened += 1
      onOpened()
    }
    return response
  }
  const client = () => package_.createClient({ url: proxy.url, key, fetch: counted })
  const now = () => encodeRevisionCursor({ knownFrom: app.clock.now(), key: '' })
  const revise = (value: number) => commitRevision(app, value)

  it('gives each event once over broken connections, including commits in between', async () => {
    const { forex_events } = package_.operations
    const events = client().subscribe(forex_events, { cursor: now() })
    const seen: string[] = []
    const take = async (count: number) => {
      for (let taken = 0; taken < count; taken++) {
        const { forex } = (await events.next()).value ?? {}
        seen.push(`${forex?.quote} ${forex?.date} ${forex?.rate}`)
      }
    }
    await revise(2)
    await take(5)
    proxy.cut()
    await revise(3) // nobody listens
    proxy.mend()
    await take(1)
    proxy.reset()
    proxy.mend()
    // What was revised again before it was read has the later value alone.
    while (!seen.includes(`USD ${app.clock.now().toISOString().slice(0, 10)} 3`)) await take(1)
    const revisions = seen.filter((event) => event.endsWith(' 3'))
    expect(new Set(revisions).size).toBe(REVISED_DAYS * REVISED.length)
    expect(new Set(seen).size).toBe(seen.length)
    await events.return()
  })

  it('is closed by the end of the loop, at the gateway too', async () => {
    const { forex_events } = package_.operations
    // Ten may be open.
    for (let opened = 0; opened < 15; opened++) {
      await revise(10 + opened)
      const cursor = encodeRevisionCursor({ knownFrom: new Date(app.clock.now().getTime() - 1_500), key: '' })
      for await (const { forex } of client().subscribe(forex_events, { quote: 'USD', cursor })) {
        expect(forex.rate).toBe(10 + opened)
        break
      }
    }
  })

  it('throws if events may have been missed, unless that is allowed', async () => {
    const { forex_events } = package_.operations
    const lost = client().subscribe(forex_events, { quote: 'USD' }).next()
    const settled = expect(lost).rejects.toBeInstanceOf(package_.ConnectionError)
    await open(1)
    proxy.cut()
    await settled
    proxy.mend()
    const allowed = client().subscribe(forex_events, { quote: 'USD' }, { allowGap: true })
    const first = allowed.next()
    await open(2)
    proxy.cut()
    proxy.mend()
    await open(3)
    await revise(50)
    expect((await first).value?.forex).toMatchObject({ quote: 'USD', rate: 50 })
    await allowed.return()
  })

  it('ends with the refusal once its key is revoked', async () => {
    const { body } = await client().get('/auth/keys')
    const events = client().subscribe(package_.operations.forex_events, { cursor: now() })
    const refused = expect(events.next()).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
    await client().delete('/auth/keys/{key_id}', { key_id: body.keys[0]?.key_id ?? '' })
    await refused
  })

  it('throws refusals, and gives up if the gateway is away for too long', async () => {
    const { forex_events } = package_.operations
    const wrong = client().subscribe(forex_events, { cursor: 'x' }).next()
    await expect(wrong).rejects.toMatchObject({ code: 'validation_error', status: 422 })
    proxy.cut()
    const away = client().subscribe(forex_events, { cursor: now() }, { reconnectMs: 1_000 }).next()
    await expect(away).rejects.toBeInstanceOf(package_.ConnectionError)
  })

  it('reconnects after the time that a busy gateway names', async () => {
    const event = 'event: next\ndata: {"data":{"forex":{"cursor":"c","rate":1}}}\n\n'
    const gateway = await playGateway([
      { status: 503, headers: { 'retry-after': '1' } },
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: `:\n\n${event}` },
    ])
    const played = package_.createClient({ url: gateway.url })
    for await (const { forex } of played.subscribe(package_.operations.forex_events)) {
      expect(forex.rate).toBe(1)
      break
    }
    const [first, second] = gateway.asked.map(({ at }) => at)
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(999)
    await gateway.close()
  })

  it('ends with the reason of its signal', async () => {
    const abort = new AbortController()
    const events = client().subscribe(
      package_.operations.forex_events,
      { cursor: now() },
      { signal: abort.signal },
    )
    const ended = expect(events.next()).rejects.toThrow('enough')
    abort.abort(new Error('enough'))
    await ended
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  /** Waits until so many streams were opened. */
  async function open(count: number): Promise<void> {
    while (opened < count) {
      await new Promise<void>((resolve) => {
        onOpened = resolve
      })
    }
  }
})
