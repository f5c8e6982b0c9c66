import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ticker } from '../../../../src/core/identifiers.js'
import type { RequestRate } from '../../../../src/core/request-rate.js'
import { IdentifierServiceDown } from '../../../../src/domains/instruments/discovery/identifier-service-model.js'
import { createIdentifierService } from '../../../../src/ingest/datasets/instruments/identifier-service.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { waitedMs } from '../../../support/waited-ms.js'
import {
  type Answer,
  APPLE,
  fails,
  neverAnswers,
  OpenFigiStage,
  sends,
} from '../../providers/openfigi/stage.js'

const AAPL = 'AAPL' as Ticker // as parseTicker gives it

describe('the identifier service over OpenFIGI', () => {
  let stage: OpenFigiStage

  beforeEach(async () => {
    stage = new OpenFigiStage()
    stage.play(sends([{ data: [APPLE] }]))
    await stage.open()
  })
  afterEach(() => stage.close())

  const service = ({ path, ...given }: { apiKey?: string; budgetMs?: number; path?: string } = {}) =>
    createIdentifierService({ http: stage.client(path), apiKey: null, isLimited: false, ...given })

  /** The failure and what it waited for, ms. */
  async function failureOf(asking: () => Promise<unknown>) {
    let error: unknown
    const waited = await waitedMs(() =>
      asking().catch((reason: unknown) => {
        error = reason
      }),
    )
    if (!(error instanceof IdentifierServiceDown)) throw new Error(`not down but ${String(error)}`)
    return { error, waited }
  }

  it('returns the instrument after one request', async () => {
    expect(service().source).toBe('openfigi')
    expect(await service({ apiKey: 'k' }).resolve(AAPL)).toEqual({
      figi: 'BBG000B9XRY4',
      name: 'APPLE INC',
      assetClass: 'stock',
      mic: null,
      currency: 'USD',
    })
    expect(stage.asked).toEqual([
      { method: 'POST', url: '/v3/mapping', key: 'k', body: '[{"idType":"TICKER","idValue":"AAPL"}]' },
    ])
  })

  it('asks with the key of the operator, at the rate of a key, and a mirror without a rate', async () => {
    const rates: unknown[] = []
    const http = stage.client()
    const serviceWith = (apiKey: string | null, isLimited = true) =>
      createIdentifierService({
        http: {
          request: ({ rate, ...request }) => {
            rates.push(rate?.pauseMs)
            return http.request(request)
          },
        },
        ...{ apiKey, isLimited },
      })
    for (const apiKey of [null, 'first', 'second']) await serviceWith(apiKey).resolve(AAPL)
    await serviceWith('third', false).resolve(AAPL)
    expect(stage.asked.map(({ key }) => key)).toEqual([undefined, 'first', 'second', 'third'])
    expect(rates).toEqual([4_800, 480, 480, undefined])
  })

  it('accepts a base address with a path and a trailing slash', async () => {
    await service({ path: '/mirror/' }).resolve(AAPL)
    expect(stage.asked[0]?.url).toBe('/mirror/v3/mapping')
  })

  it('is down at once, without a request, while the provider rests, and says when it will be back', async () => {
    const rest = { until: new Date('2026-11-27T12:00:00Z'), cause: 'status 429' }
    const reserve = async ({ maxWaitMs }: RequestRate) =>
      maxWaitMs === 0 ? { retryAfterMs: 90_000, rest } : expect.fail('a look-up does not wait')
    const http = createHttpClient({
      log: createLogger('silent'),
      userAgent: 'test',
      turns: { reserve, rest: async () => {} },
    })
    const resting = createIdentifierService({ http, apiKey: null, isLimited: true })
    const { error, waited } = await failureOf(() => resting.resolve(AAPL))
    expect(error).toMatchObject({ retryAfterMs: 90_000, wasAsked: false })
    expect(error.message).toContain('is not requested before 2026-11-27T12:00:00.000Z: status 429')
    expect(waited).toBeLessThan(1_000)
  })

  it('returns null for a ticker that the provider does not know', async () => {
    stage.play(sends([{ warning: 'No identifier found.' }]))
    expect(await service().resolve(AAPL)).toBeNull()
  })

  it('is down, within the budget, if the provider never answers', async () => {
    stage.play(neverAnswers)
    const { error, waited } = await failureOf(() => service({ budgetMs: 150 }).resolve(AAPL))
    expect(error.message).toContain('did not answer within 150 ms')
    // The budget counts from the start, so what a busy machine took before the request is not waited for.
    expect(waited).toBeGreaterThan(0)
    expect(waited).toBeLessThanOrEqual(150)
    expect(stage.asked).toHaveLength(1)
  })

  it('is down, within the budget, if the body trickles', async () => {
    stage.play((response) => void response.writeHead(200).write('[{"data":'))
    const { error } = await failureOf(() => service({ budgetMs: 150 }).resolve(AAPL))
    expect(error.message).toContain('did not answer within 150 ms')
  })

  it('waits two seconds by default', async () => {
    stage.play(neverAnswers)
    const { waited } = await failureOf(() => service().resolve(AAPL))
    expect(waited).toBeGreaterThan(1_900)
    expect(waited).toBeLessThanOrEqual(2_000)
  })

  it('passes on the pause of a throttling provider', async () => {
    stage.play(fails(429, { 'retry-after': '17' }))
    const { error } = await failureOf(() => service().resolve(AAPL))
    expect(error.retryAfterMs).toBe(17_000)
    expect(stage.asked).toHaveLength(1)
  })

  it('retries a 500 once, and succeeds if the retry does', async () => {
    stage.play(fails(500), sends([{ data: [APPLE] }]))
    expect(await service().resolve(AAPL)).toMatchObject({ figi: 'BBG000B9XRY4' })
    expect(stage.asked).toHaveLength(2)
  })

  it('is down after two 500s', async () => {
    stage.play(fails(500))
    const { error } = await failureOf(() => service().resolve(AAPL))
    expect(error.message).toContain('status 500')
    expect(stage.asked).toHaveLength(2)
  })

  it.each<[string, Answer, string]>([
    ['an HTML page', sends('<html>'), 'not JSON'],
    ['an empty body', sends(''), 'the body is empty'],
    ['a refused key', fails(401), 'the status is 401'],
    ['a refused body', fails(400), 'the status is 400'],
    [
      'a refused job',
      sends([{ error: 'Invalid idType.' }]),
      'OpenFIGI refused the identifier: "Invalid idType."',
    ],
    ['an endless body', sends('['.repeat(3_000_000)), 'more than 2000000 bytes'],
  ])('is down, and never reports an unknown ticker, after %s', async (_, answer, message) => {
    stage.play(answer)
    const { error } = await failureOf(() => service().resolve(AAPL))
    expect(error.message).toContain(message)
  })

  it('is down if the provider refuses connections', async () => {
    await stage.close()
    const { error, waited } = await failureOf(() => service().resolve(AAPL))
    expect(error.message).toContain('ECONNREFUSED')
    expect(waited).toBeLessThan(2_000)
  })

  it('never shows the key in a failure', async () => {
    stage.play(fails(401))
    const { error } = await failureOf(() => service({ apiKey: 'top-secret' }).resolve(AAPL))
    expect(`${error.stack} ${String(error.cause)}`).not.toContain('top-secret')
  })
})
