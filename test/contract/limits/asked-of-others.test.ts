import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { APPLE, fails, OpenFigiStage, sends } from '../../ingest/providers/openfigi/stage.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { type MailServer, reply, startMailServer } from '../../support/peers/mail-server.js'

/** Questions about unknown tickers that an account may cause in an hour. */
const PER_HOUR = 300

const UNKNOWN = sends([{ warning: 'No identifier found.' }])

/** Each test has tickers that no other one has asked for. */
let tickers = 0
function newTicker(): string {
  tickers += 1
  return `ZZ${String(tickers).padStart(4, '0')}`
}

describe('a request to a third party on behalf of a caller', () => {
  const stage = new OpenFigiStage()
  let openFigiUrl: string
  let mail: MailServer
  let app: TestApp
  beforeAll(async () => {
    mail = await startMailServer({
      onRecipient: () => {
        throw reply(451, '4.2.0 try again later')
      },
    })
    openFigiUrl = await stage.open()
    const env = {
      PROVIDER_URL_OPENFIGI: openFigiUrl,
      // A node that refuses connections: it was asked all the same.
      RPC_URLS_1: 'http://127.0.0.1:9',
      ...{ SMTP_URL: mail.url, NEWSLETTER_FROM: 'Market Data <news@gateway.example>' },
    }
    app = await startTestApp(quickestDatabase(), { env })
  })
  beforeEach(() => {
    stage.play(UNKNOWN)
    app.clock.advance(3_600_000)
  })
  afterAll(async () => {
    await app?.close()
    await mail?.close()
    await stage.close()
  })

  const rest = (key: string, path: string, options: CallOptions = {}) =>
    app.rest<{ readonly message: string }>(path, { ...options, key })
  const used = async (key: string) => {
    const { body } = await app.rest<{
      readonly policies: readonly { readonly policy: string; readonly used: number }[]
    }>('/v1/usage', { key })
    return body.policies.find(({ policy }) => policy === 'hour')?.used
  }
  const discover = (key: string, ticker: string, options: CallOptions = {}) =>
    rest(key, `/v1/discover/${ticker}`, options)

  it('is charged if it finds nothing, and free if the answer is already stored', async () => {
    const key = await app.newKey({ tier: 'starter' })
    const ticker = newTicker()
    expect((await discover(key, ticker)).status).toBe(404)
    expect([stage.asked.length, await used(key)]).toEqual([1, 1])
    // A read of what is not there, as any other.
    expect((await discover(key, ticker)).status).toBe(404)
    expect([stage.asked.length, await used(key)]).toEqual([1, 1])
    const other = newTicker()
    const answer = await app.graphql(
      `{ a: discover(ticker: "${other}") { figi } b: asset(id: "no-such-coin") { data { ticker } } }`,
      { key },
    )
    expect(answer.body.errors?.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND', 'NOT_FOUND'])
    expect([stage.asked.length, await used(key)]).toEqual([2, 2])
  })

  it('is free if the provider fails, whether or not the gateway sent it the request', async () => {
    const key = await app.newKey({ tier: 'starter' })
    stage.play(fails(500))
    const before = stage.asked.length
    for (let call = 0; call < 8; call++) {
      expect((await discover(key, newTicker())).status).toBe(503)
      expect(await used(key)).toBe(0)
    }
    const asked = stage.asked.length - before
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(8) // its circuit has opened
  })

  it('is charged even if the answer is a 304', async () => {
    const fresh = await startTestApp(quickestDatabase(), {
      env: { PROVIDER_URL_OPENFIGI: openFigiUrl },
    })
    try {
      const key = await fresh.newKey({ tier: 'starter' })
      stage.play(sends([{ data: [{ ...APPLE, ticker: 'ZQANY' }] }]))
      const headers = { 'if-none-match': '*' }
      const answer = await fresh.rest('/v1/discover/ZQANY', { key, headers })
      expect([answer.status, stage.asked.length]).toEqual([304, 1])
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('277')
    } finally {
      await fresh.close()
    }
  })

  it('is limited per account and hour, unlike stored answers', async () => {
    const fresh = await startTestApp(quickestDatabase(), {
      env: { PROVIDER_URL_OPENFIGI: openFigiUrl },
    })
    try {
      const key = await fresh.newKey({ tier: 'pro' })
      const first = newTicker()
      const ask = (ticker: string, by = key) =>
        fresh.rest<{ message: string; retry_after: number }>(`/v1/discover/${ticker}`, { key: by })
      expect((await ask(first)).status).toBe(404)
      for (let call = 1; call < PER_HOUR; call++) expect((await ask(newTicker())).status).toBe(404)
      const refused = await ask(newTicker())
      expect(refused.status).toBe(429)
      expect(refused.body.message).toContain(`${PER_HOUR} unknown tickers per clock hour`)
      expect(refused.body.retry_after).toBe(Date.parse('2026-11-20T13:00:00Z') / 1000)
      expect(stage.asked).toHaveLength(PER_HOUR)
      expect(refused.headers.get('x-ratelimit-remaining')).toBe(String(13_889 - PER_HOUR))
      expect((await ask(first)).status).toBe(404)
      expect((await ask(newTicker(), await fresh.newKey({ tier: 'pro' }))).status).toBe(404)
      fresh.clock.advance(3_600_000)
      expect((await ask(newTicker())).status).toBe(404)
    } finally {
      await fresh.close()
    }
  })

  it('is free for an address that no node answers for', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const answer = await rest(key, '/v1/onchain/1/0x00000000000000000000000000000000000000f1')
    expect([answer.status, await used(key)]).toEqual([503, 0])
  })

  it('is charged for a mail that the mail server refuses', async () => {
    const key = await app.newKey({ tier: 'starter', email: 'later@mail.example' })
    const answer = await rest(key, '/auth/me/newsletter', { method: 'POST' })
    expect([answer.status, await used(key)]).toEqual([503, 1])
  })
})
