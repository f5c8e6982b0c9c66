import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../../src/config.js'
import { fixedClock } from '../../../../../src/core/time.js'
import {
  type WordedGenerator,
  wordedWithin,
} from '../../../../../src/ingest/datasets/analysis/words/worded-within.js'
import type { Job } from '../../../../../src/ingest/schedule/job.js'
import { configuredJobs } from '../../../../../src/ingest/wiring.js'
import type { Database } from '../../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../../../support/database/database.js'
import { emptied } from '../../../../support/database/emptied.js'
import { days, input, times } from '../rules/points.js'
import { ChatServer, says } from './chat-server.js'

const FACT = 'Bitcoin had a consensus price of 121 USD, 21 % above that of 30 days before.'
const NOW = new Date('2026-11-20T12:10:00Z')
const log = createLogger('silent')

const server = new ChatServer()
let url: string
beforeAll(async () => {
  url = await server.open()
})
afterAll(() => server.close())

describe('texts of analyses within a budget of calls', () => {
  const given = input({ daily: days(times(60, (at) => 100 + at)) })
  const generator = (maxCalls: number, signal = new AbortController().signal): WordedGenerator =>
    wordedWithin({
      endpoint: { baseUrl: url, apiKey: 'k', modelId: 'test-model' },
      maxCalls,
      http: createHttpClient({ log, userAgent: 'test' }),
      log,
      signal,
    })
  const modelsOf = async (of: WordedGenerator, count: number) => {
    const models: string[] = []
    for (let at = 0; at < count; at++) models.push((await of.generate(given)).modelId)
    return models
  }

  it('come from the model while calls are left, and from the rules after that', async () => {
    server.play(says(FACT))
    const worded = generator(2)
    expect(await modelsOf(worded, 4)).toEqual([
      'test-model-2026-11',
      'test-model-2026-11',
      'rules-1',
      'rules-1',
    ])
    expect(server.calls).toHaveLength(2)
    expect(worded.note()).toBe('2 worded by test-model in 2 of 2 calls, 2 by the rules')
  })

  it('count retries, and come from the rules if no answer may be stored', async () => {
    server.play(says('Our price target is 120,000 USD.'))
    const worded = generator(5)
    expect(await modelsOf(worded, 3)).toEqual(['rules-1', 'rules-1', 'rules-1'])
    expect(server.calls).toHaveLength(5)
    expect(worded.note()).toBe('0 worded by test-model in 5 of 5 calls, 3 by the rules')
  })

  it('cause one request to an endpoint that is down, without a retry', async () => {
    server.play({ kind: 'body', status: 503, text: '' })
    const worded = generator(50)
    expect(await modelsOf(worded, 3)).toEqual(['rules-1', 'rules-1', 'rules-1'])
    expect(server.calls).toHaveLength(1)
    expect(worded.note()).toMatch(
      /^0 worded .* in 1 of 50 calls, 3 by the rules; the endpoint stopped answering: .*503/,
    )
  })

  it('end with an aborted run', async () => {
    server.play({ kind: 'body', status: 503, text: '' })
    const controller = new AbortController()
    const worded = generator(50, controller.signal)
    controller.abort(new Error('the process stops'))
    await expect(worded.generate(given)).rejects.toThrow('the process stops')
  })
})

describe('the scheduled analyses', { timeout: 120_000 }, () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
  }, 120_000)
  beforeEach(async () => {
    await emptied(database, ['analysis_snapshot', 'analysis_change'])
    await database.script(`delete from dataset_state where dataset = 'analysis';
      delete from ingest_run where dataset = 'analysis'`)
  })
  afterAll(() => database?.close())

  const jobOf = (env: NodeJS.ProcessEnv): Job =>
    configuredJobs(loadConfig({ SCHEDULE: 'all', ...env })).scheduled.find(
      ({ name }) => name === 'analysis-tier-1',
    ) ?? expect.fail('there is a job of tier 1')
  const runAt = (job: Job, hours: number) => {
    const now = new Date(NOW.getTime() + hours * 3_600_000)
    const { signal } = new AbortController()
    const http = createHttpClient({ log, userAgent: 'test' })
    return job.run({ database, clock: fixedClock(now), http, log, signer: null, coversTo: now, signal })
  }
  const models = () =>
    database.rows<{ model: string; count: number }>(
      `select model_id as model, count(*)::int as count from analysis_snapshot group by model_id order by model_id`,
    )
  const ai = () => ({ AI_BASE_URL: url, AI_API_KEY: 'k', AI_MODEL: 'test-model' })

  it('use the rules without an endpoint, and with a budget of 0', async () => {
    server.play(says(FACT))
    expect((await runAt(jobOf({}), 0)).note).toBeNull()
    expect(await models()).toEqual([{ model: 'rules-1', count: 58 }])
    await runAt(jobOf({ ...ai(), AI_CALLS_PER_RUN: '0' }), 1)
    expect(server.calls).toHaveLength(0)
  })

  it('use the endpoint up to the budget of each run, best assets first', async () => {
    server.play(says(FACT))
    const job = jobOf({ ...ai(), AI_CALLS_PER_RUN: '9' })
    const { counts, note } = await runAt(job, 0)
    expect(counts).toMatchObject({ added: 58, rejected: 0 })
    expect(note).toBe('9 worded by test-model in 9 of 9 calls, 49 by the rules')
    expect(await models()).toEqual([
      { model: 'rules-1', count: 49 },
      { model: 'test-model-2026-11', count: 9 },
    ])
    const worded = await database.rows<{ assetId: number }>(
      `select distinct asset_id as "assetId" from analysis_snapshot where model_id like 'test%' order by 1`,
    )
    expect(worded.map(({ assetId }) => assetId)).toEqual([1, 2, 3])
    // Ten minutes later the same figures: what is worded stays, and the budget goes to others.
    await runAt(job, 1 / 6)
    expect(server.calls).toHaveLength(18)
    expect((await models()).find(({ model }) => model !== 'rules-1')?.count).toBe(18)
  })

  it('exist even if the endpoint is down', async () => {
    server.play({ kind: 'body', status: 500, text: '' })
    const { counts, note } = await runAt(jobOf(ai()), 0)
    expect(counts).toMatchObject({ added: 58, rejected: 0 })
    expect(note).toMatch(/58 by the rules; the endpoint stopped answering: /)
    expect(server.calls.length).toBeLessThanOrEqual(4)
    expect(await models()).toEqual([{ model: 'rules-1', count: 58 }])
  })
})
