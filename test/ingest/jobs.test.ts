import { describe, expect, it } from 'vitest'
import { VENUE_ADAPTERS } from '../../src/ingest/datasets/market/ingestion.js'
import { createJobs } from '../../src/ingest/jobs.js'
import { FEEDS } from '../../src/ingest/registry.js'
import { selectJobs } from '../../src/ingest/schedule/select-jobs.js'
import { PROVIDER_HOSTS } from '../../src/platform/http-client/provider-addresses.js'

const jobs = createJobs()
const KEYS = {
  ALPACA_API_KEY_ID: 'id',
  ALPACA_API_SECRET_KEY: 'secret',
  BLS_API_KEY: '0123456789abcdef',
  BOK_API_KEY: 'key',
  SEC_USER_AGENT: 'Example Ltd data@example.com',
  TIINGO_API_KEY: 'key',
}
const names = (schedule: string) => selectJobs(jobs, schedule, KEYS).map(({ name }) => name)

describe('SCHEDULE', () => {
  it('is off, all, or names of datasets and jobs', () => {
    expect(names('off')).toEqual([])
    const optional = ['coinmetrics', 'opensanctions', 'opensanctions-securities']
    expect(names('all')).toEqual(jobs.map(({ name }) => name).filter((name) => !optional.includes(name)))
    expect(names('asset_onchain,screening')).not.toEqual(expect.arrayContaining(optional))
    expect(names('all, opensanctions,coinmetrics')).toEqual(jobs.map(({ name }) => name))
    expect(names('forex, candles')).toEqual(['forex', 'candles'])
    expect(names('analysis')).toEqual(['analysis-tier-1', 'analysis-tier-2', 'analysis-tier-3'])
    expect(names('analysis-tier-2')).toEqual(['analysis-tier-2'])
  })

  it('refuses another name, and suggests the likely one', () => {
    expect(() => names('forx')).toThrow('SCHEDULE: dataset or job "forx" does not exist; did you mean forex?')
    expect(() => names('forex,')).toThrow(/dataset or job "" does not exist/)
    expect(() => names('everything else')).toThrow(/it takes off, all, or some of .*forex.*candles/)
  })
})

describe('the jobs', () => {
  it('run forex on TARGET days, candles each minute, and analyses each 1, 6 and 12 hours', () => {
    const noon = new Date('2026-11-20T12:00:30Z')
    const waits = jobs.map(({ name, schedule }) => {
      const first = schedule.next(noon)
      return [name, (schedule.next(first).getTime() - first.getTime()) / 60_000]
    })
    expect(Object.fromEntries(waits)).toMatchObject({
      forex: 3 * 24 * 60,
      candles: 1,
      'analysis-tier-1': 60,
      'analysis-tier-2': 360,
      'analysis-tier-3': 720,
    })
  })

  it('run every feed that has a schedule', () => {
    const run = new Set(jobs.flatMap(({ feeds }) => feeds))
    const scheduled = FEEDS.filter(({ feed }) => feed.schedule !== undefined)
    expect(scheduled.length).toBeGreaterThan(0)
    for (const { feed } of scheduled) expect(run).toContain(feed.id)
  })

  it('skip a provider without its key, and say so if they are named', () => {
    const without = selectJobs(jobs, 'all').map(({ name }) => name)
    expect(names('all').filter((name) => !without.includes(name))).toEqual([
      'bls-history',
      'bok',
      'universe',
      'nport',
      'sec-submissions',
      'sec-facts',
      'tiingo-prices',
      'alpaca-bars',
    ])
    expect(names('boj,bok')).toEqual(['boj', 'bok'])
    expect(() => selectJobs(jobs, 'boj,bok')).toThrow('SCHEDULE: bok is off: set BOK_API_KEY')
  })

  it('refresh the tables of the BIS one after another over the week', () => {
    const bis = jobs.filter(({ dataset }) => dataset === 'bis')
    const dues = bis.map(({ schedule }) => schedule.next(new Date('2026-11-20T12:00:00Z')).getTime())
    expect(bis).toHaveLength(8)
    expect(new Set(dues).size).toBe(8)
  })

  it('read token supplies and take snapshots of addresses if nodes of chains are configured', () => {
    const withNodes = createJobs({ rpcUrls: new Map([[1, ['http://127.0.0.1:1']]]) })
    const added = withNodes.filter(({ name }) => !jobs.some((job) => job.name === name))
    expect(added.map(({ name, dataset, needs }) => [name, dataset, needs])).toEqual([
      ['supply-tokens', 'supply', 'reference'],
      ['address-snapshots', 'onchain', undefined],
    ])
  })

  it('have unique names, and follow existing jobs', () => {
    const known = jobs.map(({ name }) => name)
    expect(new Set(known).size).toBe(known.length)
    for (const { needs, follows } of jobs) {
      for (const name of [needs, follows]) if (name !== undefined) expect(known).toContain(name)
    }
  })

  it('request providers at addresses that an operator can replace', () => {
    const now = new Date('2026-11-20T12:00:00Z')
    const ofFeeds = FEEDS.flatMap(({ feed }) => feed.request?.(now)?.url ?? [])
    const span = { from: new Date(now.getTime() - 3_600_000), to: now, now }
    const ofVenues = VENUE_ADAPTERS.flatMap((adapter) => {
      const pair = adapter.symbolOf('BTC')
      return pair === null ? [] : adapter.request({ pair, ...span }).map(({ url }) => url)
    })
    const hosts = new Set(Object.values(PROVIDER_HOSTS).flat())
    for (const url of [...ofFeeds, ...ofVenues]) expect(hosts).toContain(new URL(url).host)
  })
})
