import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { reviseRates } from '../../support/database/forex-revisions.js'

const { privateKey } = generateKeyPairSync('ed25519')
const SIGNING_KEY = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))

const RECEIPT = { prefer: 'receipt' }

interface Check {
  readonly is_valid: boolean
  readonly checks: readonly {
    readonly check: string
    readonly passed: boolean
    readonly note: string | null
  }[]
  readonly receipt: Readonly<Record<string, unknown>> | null
  readonly rerun: {
    readonly status: string
    readonly reason: string | null
    readonly differences: readonly string[]
  }
}

/** An answer as it came, with its receipt. */
interface Kept {
  readonly receipt: string
  readonly answer: string
}

const QUOTES = ['USD', 'JPY', 'GBP', 'CHF', 'SEK', 'NOK', 'PLN', 'CZK', 'HUF', 'AUD']

/** 1,000 different questions in both interfaces: rates, conversions and cross rates of ten currencies and twenty days. */
const QUESTIONS = Array.from({ length: 1_000 }, (_, index) => {
  const quote = QUOTES[index % QUOTES.length]
  const day = `2026-11-${String(1 + (Math.floor(index / 10) % 20)).padStart(2, '0')}`
  const month = 10 - Math.floor(index / 200)
  const from = `2026-${String(month).padStart(2, '0')}-01`
  const paths = [
    `/v1/forex?quote=${quote}&from=${from}&to=${day}`,
    `/v1/forex/convert?from=EUR&to=${quote}&amount=${month}&date=${day}`,
    `/v1/forex/cross?base=${quote}&quote=DKK&from=${from}&to=${day}`,
  ]
  const query = `{ forex(quote: "${quote}", from: "${from}", to: "${day}") { data { date rate } } }`
  return { path: paths[index % 4], query }
})

describe('receipts', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const env = { SIGNING_KEY, BURST_PER_MINUTE: '1000000' }
    app = await startTestApp(quickestDatabase(), { env })
    const account = await createAccountWithKey(app.access, { tier: 'enterprise', label: 'reader' })
    await setContract(app.access, account.account_id, { hour: 1_000_000, month: 10_000_000 })
    key = account.raw_key
  })
  afterAll(() => app?.close())

  const keep = ({ headers, text }: Answer): Kept => ({
    receipt: headers.get('x-receipt') ?? '',
    answer: text,
  })
  const ask = async (path: string) => keep(await app.rest(path, { key, headers: RECEIPT }))
  const verify = async (kept: Kept, by = key) =>
    (await app.rest<Check>('/v1/receipts/verify', { key: by, method: 'POST', body: kept })).body

  it('are given on request only, and say what was asked, when, on which data and with which scopes', async () => {
    const without = await app.rest('/v1/assets/bitcoin', { key })
    expect(without.headers.get('x-receipt')).toBeNull()
    const answer = await app.rest('/v1/assets/bitcoin', { key, headers: RECEIPT })
    expect(answer.headers.get('preference-applied')).toBe('receipt')
    const { is_valid, receipt } = await verify(keep(answer))
    expect(is_valid).toBe(true)
    expect(receipt).toMatchObject({
      iss: expect.stringContaining('http'),
      instant: app.clock.now().toISOString(),
      operation: 'asset',
      request: { method: 'GET', target: '/v1/assets/bitcoin', prefer: 'receipt', body: null },
      data_versions: answer.headers.get('x-data-version'),
      withheld: ['admin'],
    })
    expect(receipt?.scopes).toContain('screening:read')
  })
  it('are the same for an answer from the cache, and are not given for what has no data or failed', async () => {
    const [, second] = [await ask('/v1/assets/ethereum'), await ask('/v1/assets/ethereum')]
    expect(await verify(second)).toMatchObject({ is_valid: true, rerun: { status: 'same' } })
    for (const path of ['/v1/me', '/v1/assets/no-such-asset', '/v1/forex.csv'])
      expect((await ask(path)).receipt).toBe('')
  })

  it('find each change of answer, receipt and instant', async () => {
    const { receipt, answer } = await ask('/v1/forex/cross?base=USD&quote=JPY')
    const [head = '', payload = '', signature = ''] = receipt.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const forged = (change: object) =>
      [head, Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url'), signature].join('.')
    const later = new Date(Date.parse(claims.instant) + 1).toISOString()
    const request = { ...claims.request, target: '/v1/forex/cross?base=USD&quote=CHF' }
    const changed: readonly [Kept, string][] = [
      [{ receipt, answer: answer.replace('"USD"', '"USd"') }, 'body'],
      [{ receipt, answer: `${answer} ` }, 'body'],
      [
        { receipt: `${receipt.slice(0, -2)}${receipt.at(-2) === 'A' ? 'B' : 'A'}${receipt.at(-1)}`, answer },
        'signature',
      ],
      [{ receipt: forged({ instant: later }), answer }, 'signature'],
      [{ receipt: forged({ request }), answer }, 'signature'],
      [{ receipt: 'no receipt', answer }, 'signature'],
    ]
    for (const [kept, failing] of changed) {
      const { is_valid, checks, rerun } = await verify(kept)
      expect(is_valid).toBe(false)
      expect(checks.filter(({ passed }) => !passed)).toEqual([
        { check: failing, passed: false, note: expect.stringMatching(/\w/) },
      ])
      expect(rerun.status).toBe('not_run')
    }
  })

  it('of an operation without an instant are run again until its data change', async () => {
    const kept = await ask('/v1/forex/currencies')
    const free = await app.newKey({ tier: 'free' })
    const card = await ask('/v1/assets/solana')
    expect((await verify(card)).rerun.status).toBe('same')
    const now = app.clock.now()
    const change = { source: 'seed', isDevDataset: true, observedAt: now, changedAt: now }
    await app.database.transaction((tx) => bumpDataset(tx, { dataset: 'instruments', ...change }))
    app.clock.advance(1_000)
    const { is_valid, rerun } = await verify(card)
    expect(is_valid).toBe(true)
    expect(rerun).toEqual({
      status: 'not_run',
      reason: expect.stringContaining('asset'),
      differences: [],
    })
    expect((await verify(kept, free)).is_valid).toBe(true)
  })

  it('of 1,000 answers are verified after revisions, and the same questions give the same data', {
    timeout: 120_000,
  }, async () => {
    const kept: Kept[] = []
    for (const { path, query } of QUESTIONS) {
      const answer =
        path === undefined
          ? await app.graphql(query, { key, headers: RECEIPT })
          : await app.rest(path, { key, headers: RECEIPT })
      expect(answer.status, `${path ?? query} ${answer.text}`).toBe(200)
      kept.push(keep(answer))
    }
    app.clock.advance(60_000)
    for (const revision of [1, 2, 3]) await reviseRates(app.database, revision, app.clock.now())
    app.clock.advance(60_000)
    const [question] = QUESTIONS
    const now = await app.rest<{ readonly data: unknown }>(question?.path ?? '', { key })
    expect(now.body.data).not.toEqual(JSON.parse(kept[0]?.answer ?? '').data)
    const statuses: Record<string, number> = {}
    for (const each of kept) {
      const { is_valid, rerun } = await verify(each)
      expect(is_valid).toBe(true)
      expect(rerun.differences.filter((path) => !/(^|\.)_?meta\./.test(path))).toEqual([])
      statuses[rerun.status] = (statuses[rerun.status] ?? 0) + 1
    }
    // The questions of GraphQL select no `meta`, which tells of the revisions.
    expect(statuses).toEqual({ same: 250, same_data: 750 })
  })
})
