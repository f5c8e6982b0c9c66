import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseProviderUrls } from '../../../src/config/provider-urls.js'
import { fixedClock } from '../../../src/core/time.js'
import type { Job } from '../../../src/ingest/schedule/job.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import { createCandlesJob } from '../../../src/ingest/venues/candles-job.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../src/platform/http-client/provider-addresses.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { type Fault, type PlayedProviders, playProviders } from '../../support/peers/played-providers.js'

const NOON = new Date('2026-11-20T12:00:00Z')
const MINUTE_MS = 60_000

/** Few bars: this is about who is asked. */
const REACH_MS = 15 * MINUTE_MS

/** A silent venue is given up after this. */
const TIMEOUT_MS = 400

const log = createLogger('silent')

describe('the job candles, with all venues at one address', { timeout: 180_000 }, () => {
  let database: Database
  let providers: PlayedProviders
  let job: Job
  let faults: Readonly<Record<string, Fault>>
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    await database.script('truncate venue_bar, candle, ingest_run, dataset_state')
    await seedWorld(database, NOON, ['instruments'])
    providers = await playProviders(fixedClock(NOON), REACH_MS)
    faults = {}
    providers.fault = (provider) => faults[provider] ?? null
    job = createCandlesJob({ random: () => 0, pauseMs: () => 0 })
  })
  afterEach(() => providers.close())

  // The others have the time that they always have, however busy the machine is.
  const isSilent = (url: string) =>
    Object.entries(faults).some(
      ([venue, { kind }]) => kind === 'silence' && new URL(url).host.includes(venue),
    )
  const runAt = (minute: number) => {
    const now = new Date(NOON.getTime() + minute * MINUTE_MS)
    const { urls } = parseProviderUrls({ ...providers.env })
    const client = withProviderUrls(createHttpClient({ log, userAgent: 'test' }), urls)
    const http: typeof client = {
      ...client,
      request: (request) =>
        client.request({ ...request, ...(isSilent(request.url) && { timeoutMs: TIMEOUT_MS }) }),
    }
    providers.asked.length = 0
    const { signal } = new AbortController()
    return job.run({ database, clock: fixedClock(now), http, log, signer: null, coversTo: now, signal })
  }
  /** Of the assets of tier 1 three stay; so a run is short where their number does not matter. */
  const leaveFewAssets = () =>
    database.script(`delete from instrument where asset_id > 3; delete from asset where asset_id > 3`)
  const asked = (provider: string) => providers.asked.filter((one) => one.provider === provider).length

  it('requests a silent venue once per run, whatever the number of assets, and less and less often', async () => {
    faults = { kraken: { kind: 'silence' } }
    const { note } = await runAt(0)
    expect(asked('kraken')).toBe(1)
    expect(asked('coinbase')).toBeGreaterThan(20)
    expect(note).toMatch(/^kraken: .* did not answer within 400 ms$/)
    await leaveFewAssets()
    // It is left alone for 15 s, 30 s, 60 s, 120 s, 240 s.
    const minutes: number[] = []
    for (let minute = 1; minute <= 10; minute++) {
      await runAt(minute)
      if (asked('kraken') > 0) minutes.push(minute)
    }
    expect(minutes).toEqual([1, 2, 3, 5, 9])
  })

  it('requests a venue again in the run after its pause, and then each time', async () => {
    await leaveFewAssets()
    faults = { kraken: { kind: 'status', status: 429, retryAfterS: 150 } }
    await runAt(0)
    expect(asked('kraken')).toBe(1)
    faults = {}
    expect((await runAt(1)).note).toMatch(
      /^left alone: kraken until 2026-11-20T12:02:30Z \(first: UpstreamError: .*status 429.*\)$/,
    )
    expect(asked('kraken')).toBe(0)
    expect((await runAt(3)).note).toBeNull()
    expect(asked('kraken')).toBeGreaterThan(0)
    await runAt(4)
    expect(asked('kraken')).toBeGreaterThan(0)
  })

  it('fails if no venue is left, after one request each, and sends none before the first pause ends', async () => {
    faults = Object.fromEntries(
      ['binance', 'bitstamp', 'coinbase', 'kraken'].map((venue) => [venue, { kind: 'page' }]),
    )
    await expect(runAt(0)).rejects.toThrow(
      /^no venue answered: binance: .*; bitstamp: .*; coinbase: .*; kraken: /,
    )
    expect(providers.asked).toHaveLength(4)
  })
})
