import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/time.js'
import { type PlayedProviders, playProviders } from '../support/peers/played-providers.js'
import {
  LISTED_IDENTIFIERS,
  PLAYED_COMPANIES,
  RECORDED_FILES_ABSENT,
  recordedFiles,
} from '../support/peers/recorded-files.js'
import { ask, cleanUp, type Gateway, newDataDir, START_MS, startGateway } from './gateway.js'

/** Within which a new gateway has all data that a test looks for, also on a busy machine. */
const LOADED = { timeout: 600_000 } as const
const POLL_MS = 1_000
const COINS = 50
const COMPANIES = 10

interface Answer<Data> {
  readonly data: Data
  readonly meta: { readonly is_dev_dataset: boolean; readonly total?: number }
}

interface Dataset {
  readonly dataset: string
  readonly is_dev_dataset: boolean | null
  readonly last_runs: readonly { readonly feed: string; readonly status: string }[]
}

const why = RECORDED_FILES_ABSENT === null ? '' : ` (skipped ${RECORDED_FILES_ABSENT})`

describe.skipIf(RECORDED_FILES_ABSENT !== null)(`a live start in an empty folder${why}`, () => {
  let providers: PlayedProviders
  let gateway: Gateway
  let key: string
  beforeAll(async () => {
    providers = await playProviders(systemClock, { files: recordedFiles })
    const settings = { SCHEDULE: 'all', SEC_USER_AGENT: 'Test test@example.com' }
    const env = { DATA_DIR: newDataDir(), ...settings, ...providers.env }
    gateway = await startGateway(env)
    const keys = readFileSync(join(env.DATA_DIR, 'dev-keys.json'), 'utf8')
    key = (JSON.parse(keys) as { enterprise: string }).enterprise // the gateway's own file
  }, START_MS)
  afterAll(async () => {
    await gateway?.stop('SIGTERM')
    await cleanUp()
    await providers?.close()
  })

  /** The first answer with real data that has what is looked for. */
  const loaded = async <Data>(path: string, has: (answer: Answer<Data>) => boolean, init?: RequestInit) => {
    for (;;) {
      const { status, body } = await ask<Answer<Data>>(gateway.url + path, key, init)
      if (status === 200 && !body.meta.is_dev_dataset && has(body)) return body
      expect([200, 404, 503]).toContain(status) // the latter two while data are missing
      await sleep(POLL_MS)
    }
  }
  const feedsThatSucceeded = async (name: string) => {
    const { body } = await ask<{ data: readonly Dataset[] }>(`${gateway.url}/v1/datasets`, null)
    const found = body.data.find(({ dataset }) => dataset === name)
    expect(found?.is_dev_dataset).toBe(false)
    return found?.last_runs.filter(({ status }) => status === 'succeeded').map(({ feed }) => feed)
  }

  it('has the prices of fifty coins', LOADED, async () => {
    interface Card {
      readonly price_consensus_usd: number | null
      readonly source_count: number | null
    }
    const priced = ({ price_consensus_usd }: Card) => price_consensus_usd !== null
    const { data } = await loaded<readonly Card[]>(
      '/v1/assets?asset_class=crypto&limit=100',
      (cards) => cards.data.filter(priced).length >= COINS,
    )
    expect(data.filter(priced).every(({ source_count }) => (source_count ?? 0) > 0)).toBe(true)
  })

  it('has rates and macro series', LOADED, async () => {
    const rates = () => ask<{ source: string }>(`${gateway.url}/v1/forex?quote=USD`, key)
    while ((await rates()).body.source !== 'ecb') await sleep(POLL_MS)
    await loaded<readonly object[]>('/v1/macro/series?provider=bis&limit=1', ({ data }) => data.length > 0)
    await loaded<readonly object[]>('/v1/macro/series?provider=boj&limit=1', ({ data }) => data.length > 0)
  })

  it('has the stocks of the list of the SEC, and finds one by its name', LOADED, async () => {
    const { meta } = await loaded<readonly object[]>(
      '/v1/stocks?limit=1',
      ({ meta: { total = 0 } }) => total > 1_000,
    )
    expect(meta.total).toBeGreaterThan(9_900)
    const { data } = await loaded<readonly object[]>('/v1/assets/search?q=snowflake', () => true)
    expect(data).toContainEqual(expect.objectContaining({ ticker: 'SNOW' }))
    expect(await feedsThatSucceeded('instruments')).toEqual(
      expect.arrayContaining(['reference', 'sec-symbols']),
    )
  })

  it('has the figures that ten companies filed', LOADED, async () => {
    for (const { ticker } of PLAYED_COMPANIES.slice(0, COMPANIES)) {
      const { data } = await loaded<object>(`/v1/stocks/${ticker}/fundamentals`, () => true)
      expect(data).toMatchObject({ ticker, revenue_usd: expect.any(Number) })
    }
    expect(await feedsThatSucceeded('filings')).toContain('sec-facts')
  })

  it('tells that an identifier of each sanctions list is listed', LOADED, async () => {
    interface Checked {
      readonly identifier: string
      readonly status: string
      readonly lists: readonly string[]
    }
    const { identifiers, lists } = LISTED_IDENTIFIERS
    const { data } = await loaded<readonly Checked[]>(
      '/v1/sanctions/check',
      (answer) => answer.data.every(({ status }) => status !== 'not_found'),
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(identifiers),
      },
    )
    expect(data.map(({ status }) => status)).toEqual(lists.map(() => 'listed'))
    expect(data.map((checked) => checked.lists)).toEqual(lists.map((list) => [list]))
    expect(await feedsThatSucceeded('screening')).toEqual(
      expect.arrayContaining(['ofac', 'ofac-consolidated', 'un-sanctions', 'uk-sanctions']),
    )
  })
})
