import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientOptions } from '../../../scripts/client/runtime/transport.js'
import { restEndpoints } from '../../../src/gateway/rest/routes/rest-route.js'
import { restSchema } from '../../../src/schema.js'
import { isInOrder, SERIES_CASES } from '../../contract/operations/series-cases.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { type Installed, InstalledClient, mayMakeClient } from './installed-client.js'
import { type Played, type PlayedGateway, playGateway } from './played-gateway.js'

type Row = Readonly<Record<string, unknown>>

/** The client without the types of its paths. */
interface AnyClient {
  rows(path: string, args: object, options?: object): AsyncIterable<Row>
}

const LEI = '5493001KJTIIGC8Y1R12'
const GOOD: Played = { status: 200, body: '{"data": [], "meta": {"total": 0}}' }
const busy = (status: 429 | 503, retryAfter: number): Played => {
  const error = status === 429 ? 'rate_limit_exceeded' : 'service_unavailable'
  const body = JSON.stringify({ error, message: 'later', request_id: 'r' })
  return { status, headers: { 'retry-after': String(retryAfter) }, body }
}

describe.runIf(await mayMakeClient())('the typed client', { timeout: 120_000 }, () => {
  let app: TestApp
  let package_: Installed
  const clientOf = (options: Partial<ClientOptions>) => package_.createClient({ url: app.url, ...options })
  const proClient = async (options: Partial<ClientOptions> = {}) =>
    clientOf({ key: await app.newKey({ tier: 'pro' }), ...options })

  beforeAll(async () => {
    const installed = new InstalledClient()
    ;[app] = await Promise.all([startTestApp(quickestDatabase()), installed.install()])
    package_ = await installed.load()
  }, 600_000)
  afterAll(() => app?.close())

  describe('sends requests to a gateway', () => {
    it('for a list, and reads what is left of the quotas', async () => {
      const client = await proClient()
      const { body, status, limits, requestId, headers } = await client.get('/v1/assets', { limit: 3 })
      expect([status, body.data.length]).toEqual([200, 3])
      expect(requestId).toBe(headers.get('x-request-id'))
      expect(limits).toMatchObject({ limit: 13_889, remaining: 13_888 })
      expect(limits?.windows).toEqual([
        { name: 'hour', quota: 13_889, remaining: 13_888, resetSeconds: expect.any(Number) },
        { name: 'month', quota: 5_000_000, remaining: 4_999_999, resetSeconds: expect.any(Number) },
      ])
      expect(limits?.resetAt.getTime()).toBeGreaterThan(app.clock.now().getTime())
    })

    it('with parameters in path, query and body, and for responses without a body', async () => {
      const client = await proClient()
      expect((await client.get('/v1/assets/{id}', { id: 'bitcoin' })).body.data.ticker).toBe('BTC')
      const screened = await client.post('/v1/sanctions/screen', { leis: [LEI, LEI.toLowerCase()] })
      expect(screened.body.data.length).toBe(2)
      const { body } = await client.post('/auth/keys', { label: 'another' })
      const deleted = await client.delete('/auth/keys/{key_id}', { key_id: body.key_id })
      expect([deleted.status, deleted.body]).toEqual([204, null])
    })

    it('with PATCH and by the operation of the same name, which move the clock of a key', async () => {
      const client = await proClient()
      const clock = (hour: number) => ({ as_of: `2026-11-20T${hour}:00:00.000Z` })
      const { body } = await client.post('/auth/keys', { label: 'past', clock: clock(10) })
      const moved = await client.patch('/auth/keys/{key_id}', { key_id: body.key_id, clock: clock(11) })
      expect([moved.status, moved.body.clock]).toEqual([200, { ...clock(11), basis: 'observed' }])
      const variables = { key_id: body.key_id, clock: clock(10) }
      const { advance_api_key } = package_.operations
      await expect(client.graphql(advance_api_key, variables)).rejects.toMatchObject({ status: 422 })
    })

    it('with the token of a login', async () => {
      const account = { email: 'client@example.com', password: 'correct horse battery' }
      const { body } = await app.rest<{ access_token: string }>('/auth/register', {
        method: 'POST',
        body: account,
      })
      const client = clientOf({ token: body.access_token })
      expect((await client.get('/auth/keys')).body.keys).toEqual([])
    })

    it('and throws refusals, with every member of the error', async () => {
      const client = await proClient()
      const refused = await client.get('/v1/assets', { limit: 5_000 }).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(package_.ApiError)
      expect(refused).toMatchObject({
        ...{ code: 'validation_error', status: 422, retryAfter: null, requestId: expect.any(String) },
        details: [{ field: 'limit', message: expect.stringContaining('100') }],
        limits: { limit: 13_889 },
      })
      const free = clientOf({ key: await app.newKey({ tier: 'free' }) })
      const screening = await free
        .post('/v1/sanctions/screen', { leis: [LEI] })
        .catch((error: unknown) => error)
      expect(screening).toMatchObject({
        ...{ code: 'forbidden', status: 403, requiredScope: 'screening:read' },
        upgradeUrl: expect.stringMatching(/^https?:/),
      })
      const unknown = clientOf({ key: 'nonsense' }).get('/v1/assets')
      await expect(unknown).rejects.toMatchObject({ code: 'unauthorized', status: 401, limits: null })
    })

    it('and throws the refusal of a spent quota, without waiting for the next hour', async () => {
      const client = clientOf({ key: await app.newKey({ tier: 'free' }) })
      for (let left = 14; left > 0; left--) await client.get('/v1/assets/{id}', { id: 'bitcoin' })
      const refused = await client.get('/v1/assets/{id}', { id: 'ethereum' }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'rate_limit_exceeded', status: 429, limits: { remaining: 0 } })
      expect((refused as { retryAfter: number }).retryAfter).toBeGreaterThan(90)
    })
  })

  describe('pages', () => {
    it('by offset, and stops with the loop', async () => {
      const client = await proClient()
      const ids: number[] = []
      for await (const { asset_id } of client.rows('/v1/assets', {}, { pageSize: 7 })) ids.push(asset_id)
      const { body } = await client.get('/v1/assets')
      expect(new Set(ids).size).toBe(body.meta.total)
      expect(ids.length).toBe(body.meta.total)
      const before = (await client.get('/v1/assets')).limits?.remaining ?? 0
      for await (const row of client.rows('/v1/assets', {}, { pageSize: 7 }))
        if (row.asset_id === ids[8]) break
      expect((await client.get('/v1/assets')).limits?.remaining).toBe(before - 3)
    })

    it('by cursor: every change once', async () => {
      const client = await proClient()
      const since = '2026-10-01T00:00:00Z'
      const ids: string[] = []
      for await (const change of client.rows('/v1/ai-analysis/changes', { since }, { pageSize: 100 }))
        ids.push(change.to_snapshot_id)
      const { body } = await client.get('/v1/ai-analysis/changes', { since, limit: 1 })
      expect(body.total_count).toBeGreaterThan(200)
      expect(ids.length).toBe(body.total_count)
      expect(new Set(ids).size).toBe(ids.length)
    })

    it('of a series in time order, although its first page is the newest', async () => {
      const client = await proClient()
      const days: string[] = []
      const query = { id: 'bitcoin', from: '2026-10-20' }
      for await (const { body } of client.pages('/v1/assets/{id}/ohlcv', query, { pageSize: 10 }))
        days.push(...body.data.candles.map(({ ts }) => ts))
      const { body } = await client.get('/v1/assets/{id}/ohlcv', query)
      expect(body.meta.total).toBeGreaterThan(20)
      expect(days).toEqual(body.data.candles.map(({ ts }) => ts))
      const newest: string[] = []
      for await (const { ts } of client.rows(
        '/v1/assets/{id}/ohlcv',
        { ...query, limit: 13 },
        { pageSize: 10 },
      ))
        newest.push(ts)
      expect(newest).toEqual(days.slice(-13))
    })

    it('of every series in time order, and up to `limit` rows over all pages', async () => {
      const client = (await proClient()) as unknown as AnyClient
      const endpoints = restEndpoints(restSchema).filter(({ field }) => field.name in SERIES_CASES)
      expect(endpoints.length).toBe(Object.keys(SERIES_CASES).length)
      for (const { field, rest } of endpoints) {
        const { args, order } = SERIES_CASES[field.name] ?? expect.fail(field.name)
        const rowsOf = async (given: object, options?: object) => {
          const rows: Row[] = []
          for await (const row of client.rows(rest.path, { ...args, ...given }, options)) rows.push(row)
          return rows
        }
        const all = await rowsOf({})
        expect([field.name, isInOrder(all, order), all.length > 1]).toEqual([field.name, true, true])
        if (!field.args.some(({ name }) => name === 'limit')) continue
        const kept = rest.path.endsWith('/ohlcv') ? all.slice(-7) : all.slice(0, 7)
        expect([field.name, await rowsOf({ limit: 7 }, { pageSize: 3 })]).toEqual([field.name, kept])
      }
    })

    it('from a day or an instant as a text or a Date with its zone', async () => {
      const client = (await proClient()) as unknown as AnyClient
      const forms = ['2026-11-10', '2026-11-10T02:00:00+02:00', new Date('2026-11-10T02:00:00+02:00')]
      const counts = async (path: string, args: object) => {
        const found: number[] = []
        for (const from of forms) {
          let count = 0
          for await (const _ of client.rows(path, { ...args, from })) count += 1
          found.push(count)
        }
        return found
      }
      const rates = await counts('/v1/forex', { quote: 'USD' })
      expect(rates).toEqual([8, 8, 8])
      const candles = await counts('/v1/assets/{id}/ohlcv', { id: 'bitcoin' })
      expect(candles).toEqual([10, 10, 10])
    })

    it('up to `limit` rows and no further', async () => {
      const client = await proClient()
      const ids: number[] = []
      for await (const { asset_id } of client.rows('/v1/assets', { limit: 9 }, { pageSize: 4 }))
        ids.push(asset_id)
      const { body } = await client.get('/v1/assets', { limit: 9 })
      expect(ids).toEqual(body.data.map(({ asset_id }) => asset_id))
    })

    it('up to a bound, which it reports as exceeded', async () => {
      const client = await proClient()
      const pages: unknown[] = []
      const all = async () => {
        for await (const page of client.pages('/v1/assets', {}, { pageSize: 2, maxPages: 3 }))
          pages.push(page)
      }
      await expect(all()).rejects.toThrow('/v1/assets has more than 3 pages (maxPages).')
      expect(pages.length).toBe(3)
    })
  })

  describe('runs GraphQL', () => {
    it('with the answer of their route, and their cost', async () => {
      const client = await proClient()
      const { data, errors, cost, limits } = await client.graphql(package_.operations.forex, { quote: 'USD' })
      expect(data.forex?.data.length).toBeGreaterThan(10)
      expect([errors, cost?.charged]).toEqual([[], 1])
      expect(limits?.remaining).toBe(cost?.remaining)
      const made = await client.graphql(package_.operations.create_api_key, { label: 'typed' })
      expect(made.data.create_api_key?.label).toBe('typed')
    })

    it('and throws refusals in the words of REST', async () => {
      const client = await proClient()
      const refused = await client
        .graphql(package_.operations.forex, { quote: 'USX' })
        .catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(package_.ApiError)
      expect(refused).toMatchObject({
        ...{ code: 'validation_error', status: 422, requestId: expect.any(String) },
        details: [{ field: 'quote', message: expect.stringContaining('did you mean USD?') }],
      })
      const wrong = client.graphql(new package_.Document('{ nothing }'))
      await expect(wrong).rejects.toMatchObject({ code: 'bad_request', status: 400 })
    })

    it('and returns the data beside the failure of one field', async () => {
      const client = await proClient()
      const both = new package_.Document<{ here: { data: { ticker: string } }; gone: null }>(
        '{ here: asset(id: "bitcoin") { data { ticker } } gone: asset(id: "nothing") { data { ticker } } }',
      )
      const { data, errors } = await client.graphql(both)
      expect(data).toEqual({ here: { data: { ticker: 'BTC' } }, gone: null })
      expect(errors).toMatchObject([
        { code: 'not_found', status: 404, message: expect.stringContaining('nothing') },
      ])
    })
  })

  describe('with a gateway in trouble', () => {
    const whilePlayed = async (
      answers: readonly Played[],
      run: (gateway: PlayedGateway) => Promise<void>,
    ) => {
      const gateway = await playGateway(answers)
      await run(gateway).finally(() => gateway.close())
    }
    const list = ({ url }: PlayedGateway, options: Partial<ClientOptions> = {}, signal?: AbortSignal) =>
      clientOf({ url, ...options }).get('/v1/assets', {}, signal ? { signal } : {})

    it.each([429, 503] as const)('waits as long as a %s says, and retries', async (status) => {
      await whilePlayed([busy(status, 1), busy(status, 2), GOOD], async (gateway) => {
        expect((await list(gateway)).status).toBe(200)
        const [first, second, third] = gateway.asked.map(({ at }) => at)
        expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(999)
        expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(1_999)
      })
    })

    it('retries after a broken connection, before an answer and within it', async () => {
      const short: Played = { status: 200, headers: { 'content-length': '1000' }, body: '{' }
      await whilePlayed(['cut', GOOD], async (gateway) => {
        expect((await list(gateway)).status).toBe(200)
        expect(gateway.asked.length).toBe(2)
      })
      await whilePlayed([short], async (gateway) => {
        await expect(list(gateway, { attempts: 1, timeoutMs: 300 })).rejects.toBeInstanceOf(
          package_.ConnectionError,
        )
      })
    })

    it('gives up after its attempts, after its time, and if waiting takes longer than that', async () => {
      await whilePlayed(['cut'], async (gateway) => {
        await expect(list(gateway, { attempts: 3 })).rejects.toBeInstanceOf(package_.ConnectionError)
        expect(gateway.asked.length).toBe(3)
      })
      await whilePlayed([busy(503, 30)], async (gateway) => {
        await expect(list(gateway, { totalMs: 20_000 })).rejects.toMatchObject({
          status: 503,
          retryAfter: 30,
        })
        expect(gateway.asked.length).toBe(1)
      })
      await whilePlayed(['hang'], async (gateway) => {
        const late = list(gateway, { totalMs: 400 })
        await expect(late).rejects.toThrow(/^The gateway did not respond: no response within \d/)
        expect(gateway.asked.length).toBe(1)
      })
    })

    it('sends a write once, unless the gateway can recognize the repetition', async () => {
      for (const trouble of ['cut', busy(503, 0), busy(429, 0)] as const)
        await whilePlayed([trouble], async (gateway) => {
          const client = clientOf({ url: gateway.url, attempts: 3 })
          await expect(client.post('/auth/keys', { label: 'x' })).rejects.toThrow()
          await expect(client.delete('/auth/keys/{key_id}', { key_id: 'x' })).rejects.toThrow()
          await expect(client.graphql(package_.operations.create_api_key, { label: 'x' })).rejects.toThrow()
          expect(gateway.asked.length).toBe(3)
          await expect(client.post('/auth/keys', { label: 'x' }, { idempotencyKey: 'k' })).rejects.toThrow()
          await expect(client.post('/v1/sanctions/screen', { leis: [LEI] })).rejects.toThrow()
          await expect(client.graphql(package_.operations.forex, { quote: 'USD' })).rejects.toThrow()
          expect(gateway.asked.length).toBe(12)
        })
    })

    it('ends at once with its caller, while it waits for an answer and between attempts', async () => {
      for (const trouble of ['hang', busy(503, 30)] as const)
        await whilePlayed([trouble], async (gateway) => {
          const abort = new AbortController()
          const asked = list(gateway, {}, abort.signal)
          const settled = expect(asked).rejects.toThrow('enough')
          while (gateway.asked.length === 0) await new Promise(setImmediate)
          abort.abort(new Error('enough'))
          await settled
          await expect(list(gateway, {}, abort.signal)).rejects.toThrow('enough')
          expect(gateway.asked.length).toBe(1)
        })
    })

    it('accepts no answer that is too large, no page of a proxy, no redirect and no page at another address', async () => {
      await whilePlayed([{ status: 200, body: `"${'x'.repeat(2_000)}"` }], async (gateway) => {
        const large = list(gateway, { maxBytes: 1_000 })
        await expect(large).rejects.toThrow('The response has more than 1000 bytes (maxBytes).')
        expect(gateway.asked.length).toBe(1)
      })
      for (const status of [200, 502])
        await whilePlayed([{ status, body: '<html>' }], async (gateway) => {
          await expect(list(gateway)).rejects.toMatchObject({ code: 'unexpected_answer', status })
        })
      await whilePlayed([{ status: 302, headers: { location: `${app.url}/v1/assets` } }], async (gateway) => {
        await expect(list(gateway, { attempts: 1 })).rejects.toBeInstanceOf(package_.ConnectionError)
      })
      const next = { link: '<http://127.0.0.1:9/elsewhere?offset=2>; rel="next"' }
      await whilePlayed([{ status: 200, headers: next }, GOOD], async (gateway) => {
        for await (const _ of clientOf({ url: gateway.url }).pages('/v1/assets'));
        expect(gateway.asked.map(({ path }) => path)).toEqual(['/v1/assets', '/v1/assets?offset=2'])
      })
    })
  })
})
