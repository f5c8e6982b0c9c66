import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/time.js'
import { FEEDS } from '../../src/ingest/registry.js'
import { shardOfJob } from '../../src/ingest/schedule/schedule-work.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { addAssets } from '../ingest/schedule/schedule-world.js'
import { describeInBrowser, screenshot, violations } from '../support/app/browser.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  copyEmbeddedWorld,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { type PlayedProviders, playProviders } from '../support/peers/played-providers.js'
import {
  ask,
  cleanUp,
  type Gateway,
  newDataDir,
  type Reply,
  runToEnd,
  START_MS,
  seededDataDir,
  startGateway,
} from './gateway.js'

interface Dated {
  readonly source: string
}

/** Within which a start without any command serves live data. */
const LIVE_MS = 120_000
const POLL_MS = 250

/** Whether the assets come from a feed; until one is built in, the test enters two by hand. */
const HAS_MASTERS = FEEDS.some(({ feed }) => feed.dataset === 'instruments' && feed.schedule !== undefined)

interface Enveloped {
  readonly data: Record<string, unknown>
  readonly meta: Record<string, unknown>
}

interface Ready {
  readonly status: string
  readonly details?: {
    readonly schedule: string
    readonly jobs: readonly Record<string, unknown>[]
    readonly lanes: readonly Record<string, unknown>[]
  }
}

describe.runIf(availableDatabases().includes('postgres'))('a production start on an empty PostgreSQL', () => {
  let providers: PlayedProviders
  let gateway: Gateway
  let database: Database
  let env: Record<string, string>
  let keys: { operator: string; pro: string }

  const newKey = async (...options: readonly string[]) => {
    const args = ['--tier', 'pro', '--label', 'test', ...options]
    const made = await runToEnd('src/commands/key.ts', args, env)
    expect([made.code, made.stderr]).toEqual([0, ''])
    return (JSON.parse(made.stdout) as { raw_key: string }).raw_key // the command's own line
  }
  const get = <Body>(path: string, key: string | null = keys.pro) => ask<Body>(gateway.url + path, key)
  /** The first answer that is not a 503 or 404, as while the data is not there. */
  const live = async <Body>(path: string): Promise<Reply<Body>> => {
    for (;;) {
      const reply = await get<Body>(path)
      if (reply.status !== 503 && reply.status !== 404) return reply
      await sleep(POLL_MS)
    }
  }
  /** The node that runs the job of the ECB's rates. */
  const holder = async () => {
    const [lease] = await database.rows<{ node: string }>(
      'select node from schedule_shard where shard = $1',
      [shardOfJob('forex')],
    )
    return lease?.node ?? expect.fail('no node has the job')
  }

  beforeAll(async () => {
    providers = await playProviders(systemClock)
    env = {
      NODE_ENV: 'production',
      DATABASE_URL: await createPostgresDatabase(),
      PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9',
      ...OWN_SECRETS,
      ...providers.env,
    }
    gateway = await startGateway(env)
    database = await openDatabase({ kind: 'postgres', url: env.DATABASE_URL ?? '', poolSize: 1 })
    if (!HAS_MASTERS) await addAssets(database)
    keys = { operator: await newKey('--admin'), pro: await newKey() }
  }, START_MS)
  afterAll(async () => {
    await gateway?.stop('SIGTERM')
    await cleanUp()
    await database?.close()
    await providers?.close()
    await dropPostgresDatabase(env.DATABASE_URL ?? '')
  })

  it('serves all reference rates of the ECB as live data', {
    timeout: LIVE_MS,
  }, async () => {
    const reply = await live<Record<string, unknown> & { data: readonly unknown[] }>('/v1/forex?quote=USD')
    expect([reply.status, reply.headers.get('x-is-dev-dataset')]).toEqual([200, 'false'])
    expect(reply.body).toMatchObject({ base: 'EUR', quote: 'USD', source: 'ecb' })
    expect(reply.body.data.length).toBeGreaterThan(15)
    const history = providers.asked.filter(({ url }) => url.endsWith('eurofxref-hist.zip'))
    expect(history).toHaveLength(1)
  })

  it.runIf(HAS_MASTERS)('serves the assets of its own master data', { timeout: LIVE_MS }, async () => {
    const { status, body } = await live<Enveloped>('/v1/assets/bitcoin')
    expect([status, body.meta.is_dev_dataset]).toEqual([200, false])
    expect(body.meta.source).not.toBe('seed')
  })

  it('serves candles from the bars of the four venues', { timeout: LIVE_MS }, async () => {
    const { status, body } = await live<Enveloped>('/v1/assets/bitcoin/ohlcv?timeframe=1h&limit=5')
    expect(status).toBe(200)
    expect(body.meta).toMatchObject({ is_dev_dataset: false, source: 'consensus_vwap' })
    expect(body.data.candles).toContainEqual(
      expect.objectContaining({ vwap_usd: 100, exchanges_count: 4, consensus_status: 'ok' }),
    )
  })

  it('serves analyses of those candles', { timeout: LIVE_MS }, async () => {
    const path = '/v1/assets/bitcoin/ai?analysis_type=fundamental_summary'
    let reply = await live<Enveloped>(path)
    while (reply.body.data.summary === null) {
      await sleep(POLL_MS)
      reply = await live<Enveloped>(path)
    }
    expect([reply.status, reply.body.meta.is_dev_dataset]).toEqual([200, false])
    expect(reply.body.data.summary).toEqual(expect.stringContaining('Bitcoin'))
  })

  it('shows the jobs to an operator, on /readyz and by admin feeds, and to nobody else', async () => {
    const open = await get<Ready>('/readyz', null)
    expect([open.status, open.body.details]).toEqual([200, undefined])
    expect((await get<Ready>('/readyz', keys.pro)).body.details).toBeUndefined()
    expect((await get<Ready>('/readyz', 'mdg_live_wrong')).body.details).toBeUndefined()
    const { details } = (await get<Ready>('/readyz', keys.operator)).body
    expect(details?.schedule).toBe('all')
    const forex = {
      job: 'forex',
      dataset: 'forex',
      scheduled: true,
      node: expect.stringMatching(/.+:\d+$/),
      status: 'succeeded',
      attempts: 1,
      lag_seconds: 0,
      last_error: null,
    }
    expect(details?.jobs).toContainEqual(expect.objectContaining(forex))
    const printed = await runToEnd('src/commands/admin.ts', ['feeds', '--json'], env)
    expect([printed.code, printed.stderr]).toEqual([0, ''])
    const { jobs } = JSON.parse(printed.stdout) as { jobs: readonly Record<string, unknown>[] }
    expect(jobs).toContainEqual(expect.objectContaining(forex))
    const next = String(jobs.find(({ job }) => job === 'forex')?.next_run_at)
    expect(Date.parse(next)).toBeGreaterThan(Date.now())
  })

  it('shows the lane of each exchange to an operator, and counts its requests', async () => {
    const lane = (exchange: string) => ({
      exchange,
      nodes: 1,
      queue: expect.any(Number),
      oldest_due_seconds: expect.any(Number),
      newest_bar_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      newest_bar_age_seconds: expect.any(Number),
      rest_until: null,
      rest_cause: null,
      requests_in_last_minute: expect.any(Number),
    })
    const lanes = ['binance', 'bitstamp', 'coinbase', 'kraken'].map(lane)
    expect((await get<Ready>('/readyz', keys.operator)).body.details?.lanes).toEqual(lanes)
    const printed = await runToEnd('src/commands/admin.ts', ['feeds'], env)
    expect([printed.code, printed.stderr]).toEqual([0, ''])
    expect(printed.stdout).toMatch(
      /^exchange +nodes +queue +oldest due seconds +requests in last minute +newest bar at +newest bar age seconds +rest until +rest cause$/m,
    )
    expect(printed.stdout).toMatch(/^kraken +1 +\d+ +\d+ +\d+ +\S+Z +\d+ +- +-$/m)
    const { text } = await ask(`${gateway.metricsUrl}/metrics`, null)
    expect(text).toMatch(/^ingest_lane_\w+\{exchange="kraken"\} \d/m)
  })

  it('counts runs and rows of its jobs, and the age of the data', async () => {
    const { text } = await ask(`${gateway.metricsUrl}/metrics`, null)
    expect(text).toMatch(/^ingest_runs_total\{job_name="forex",status="succeeded"\} 1$/m)
    expect(text).toMatch(/^ingest_schedule_leader 1$/m)
    expect(text).toMatch(/^ingest_schedule_shards\{node=".+:\d+"\} [1-9]\d*$/m)
    expect(text).toMatch(/^ingest_schedule_shards\{node=""\} 0$/m)
    expect(text).toMatch(/^webhook_shards\{node=""\} 0$/m)
    const added = /^ingest_rows_total\{job_name="forex",outcome="added"\} (\d+)$/m.exec(text)
    expect(Number(added?.[1])).toBeGreaterThan(60)
    for (const dataset of ['forex', 'candles', 'analysis']) {
      expect(text).toMatch(new RegExp(`^data_age_seconds\\{dataset="${dataset}"\\} \\d`, 'm'))
    }
  })

  it('says when each dataset is refreshed next, and which key is missing, for everybody', async () => {
    interface Listed {
      readonly dataset: string
      readonly jobs: readonly { job: string; next_run_at: string | null; missing_key: string | null }[]
    }
    const { body } = await get<{ data: readonly Listed[] }>('/v1/datasets', null)
    const jobsOf = (name: string) => body.data.find(({ dataset }) => dataset === name)?.jobs
    const [rates] = jobsOf('forex') ?? []
    expect([rates?.job, rates?.missing_key]).toEqual(['forex', null])
    expect(Date.parse(rates?.next_run_at ?? '')).toBeGreaterThan(Date.now())
    expect(jobsOf('prices')).toEqual([
      { job: 'tiingo-prices', next_run_at: null, missing_key: 'TIINGO_API_KEY' },
      { job: 'alpaca-bars', next_run_at: null, missing_key: 'ALPACA_API_KEY_ID' },
    ])
    expect(jobsOf('onchain')).toEqual([])
  })

  it('lists its datasets with sources and terms for everybody', async () => {
    const { status, body } = await get<{ data: readonly unknown[]; total: number }>('/v1/datasets', null)
    expect([status, body.total]).toEqual([200, body.data.length])
    expect(body.data).toContainEqual(
      expect.objectContaining({
        dataset: 'forex',
        sources: ['ecb'],
        freshness_status: 'fresh',
        is_dev_dataset: false,
        attribution: 'Source: ECB statistics',
        licensed_for_commercial_use: true,
      }),
    )
  })

  it(
    'goes on after it was killed: what was done is not done again, and nothing is there twice',
    async () => {
      const rates = await database.rows('select count(*) as rates from forex_rate')
      const asked = providers.asked.filter(({ provider }) => provider === 'ecb').length
      const leader = await holder()
      await gateway.stop('SIGKILL')
      gateway = await startGateway(env)
      while ((await holder()) === leader) await sleep(POLL_MS)
      const { details } = (await get<Ready>('/readyz', keys.operator)).body
      expect(details?.jobs).toContainEqual(
        expect.objectContaining({ job: 'forex', attempts: 1, lag_seconds: 0 }),
      )
      expect(providers.asked.filter(({ provider }) => provider === 'ecb')).toHaveLength(asked)
      expect(await database.rows('select count(*) as rates from forex_rate')).toEqual(rates)
      const twice = `select asset_id, timeframe, ts from candle where known_to is null
      group by asset_id, timeframe, ts having count(*) > 1`
      expect(await database.rows(twice)).toEqual([])
      expect((await get('/v1/forex?quote=USD')).status).toBe(200)
    },
    START_MS,
  )
})

describe('the schedule on the embedded database', () => {
  afterAll(cleanUp)

  it(
    'replaces seed rates by those of the ECB while it serves, and ends with the process',
    async () => {
      const providers = await playProviders(systemClock)
      const env = { DATA_DIR: await seededDataDir(), SCHEDULE: 'forex', ...providers.env }
      const gateway = await startGateway(env)
      const keys = JSON.parse(readFileSync(join(env.DATA_DIR, 'dev-keys.json'), 'utf8')) as { pro: string }
      let source = ''
      while (source !== 'ecb') {
        const { status, body } = await ask<Dated>(`${gateway.url}/v1/forex?quote=USD`, keys.pro)
        expect(status).toBe(200)
        source = body.source
        expect(['seed', 'ecb']).toContain(source)
        await sleep(POLL_MS) // asked without a pause, the gateway has little time left for its schedule
      }
      const { status, body } = await ask<Dated & { data: readonly unknown[] }>(
        `${gateway.url}/v1/forex?quote=JPY`,
        keys.pro,
      )
      expect([status, body.source, body.data.length > 15]).toEqual([200, 'ecb', true])
      // A quote that only the seed had.
      const gone = await ask<unknown>(`${gateway.url}/v1/forex?quote=CHF`, keys.pro)
      expect(gone.text).not.toContain('"seed"')
      expect((await gateway.stop('SIGTERM')).code).toBe(0)
      expect(providers.asked.every(({ provider }) => provider === 'ecb')).toBe(true)
      await providers.close()
    },
    START_MS,
  )

  it(
    'does not start with a name that it does not know',
    async () => {
      const dataDir = newDataDir()
      const ended = await runToEnd('src/main.ts', [], { DATA_DIR: dataDir, SCHEDULE: 'forex,candels' })
      expect([ended.code, ended.stderr]).toEqual([
        1,
        'SCHEDULE: dataset or job "candels" does not exist; did you mean candles?\n',
      ])
      expect(existsSync(dataDir)).toBe(false)
    },
    START_MS,
  )
})

describeInBrowser('a live start without data', (openPage) => {
  afterAll(cleanUp)

  it('shows a visitor what is loading, how far it is and what needs a key', async () => {
    const providers = await playProviders(systemClock)
    providers.fault = (provider) => (provider === 'ust' ? { kind: 'silence' } : null)
    const dataDir = newDataDir()
    await copyEmbeddedWorld('empty', dataDir)
    const env = { DATA_DIR: dataDir, SEED: 'off', SCHEDULE: 'all', ...providers.env }
    const gateway = await startGateway(env)
    while ((await ask(`${gateway.url}/v1/datasets`, null)).text.match(/"dataset":"forex"[^}]*"version":0/))
      await sleep(POLL_MS)
    const { page, complaints } = await openPage()
    for (const size of [
      { width: 1280, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size)
      await page.goto(gateway.url)
      await page.getByText(/\d+ datasets loading/).waitFor()
      await screenshot(page, `first-page-${size.width}`)
      await page.getByRole('link', { name: 'What is loading' }).click()
      const table = page.getByRole('group', { name: 'What is loading' })
      const row = (name: string) => table.getByRole('row', { name })
      await row('Exchange rates').getByText('loaded', { exact: true }).waitFor()
      await row('Macro series: US Treasury').getByText('loads', { exact: true }).waitFor()
      await row('Stock and ETF prices').getByText('TIINGO_API_KEY or ALPACA_API_KEY_ID').waitFor()
      await row('Company filings').getByText('SEC_USER_AGENT').waitFor()
      await page.getByText('npm run ingest -- candles --from 2020-01-01').waitFor()
      expect(await violations(page)).toEqual([])
      await screenshot(page, `loading-${size.width}`)
    }
    expect(complaints).toEqual([])
    await gateway.stop('SIGTERM')
    await providers.close()
  })
})
