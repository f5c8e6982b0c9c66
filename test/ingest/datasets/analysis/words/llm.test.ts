import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../../src/config.js'
import { sha256Hex } from '../../../../../src/core/canonical-json.js'
import { ANALYSIS_TYPES } from '../../../../../src/domains/analysis/model.js'
import { DroppedAnalysis } from '../../../../../src/ingest/datasets/analysis/generator.js'
import { analyseByRules } from '../../../../../src/ingest/datasets/analysis/rules/rules.js'
import { createLlmGenerator } from '../../../../../src/ingest/datasets/analysis/words/llm.js'
import { promptOf } from '../../../../../src/ingest/datasets/analysis/words/prompts.js'
import { createHttpClient } from '../../../../../src/platform/http-client/http-client.js'
import { UpstreamError } from '../../../../../src/platform/http-client/upstream-error.js'
import { createLogger } from '../../../../../src/platform/logger.js'
import { waitedMs } from '../../../../support/waited-ms.js'
import { days, input, times } from '../rules/points.js'
import { ChatServer, says } from './chat-server.js'

const FACT = 'Bitcoin had a consensus price of 121 USD, 21 % above that of 30 days before.'
const API_KEY = 'key-that-stays-secret'

describe('the language model generator', () => {
  const server = new ChatServer()
  let url: string
  beforeAll(async () => {
    url = await server.open()
  })
  afterAll(() => server.close())

  const lines: string[] = []
  const log = createLogger('debug', { write: (line: string) => lines.push(line) })
  /** A new client each, so that no circuit opened by one test is met by another. */
  const generator = (timeoutMs?: number) =>
    createLlmGenerator({
      endpoint: { baseUrl: url, apiKey: API_KEY, modelId: 'test-model' },
      http: createHttpClient({ log, userAgent: 'test' }),
      log,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
  const given = input({ daily: days(times(60, (at) => 100 + at)) })
  const failureOf = (asking: Promise<unknown>) =>
    asking.then(
      () => null,
      (error: unknown) => error,
    )

  it('uses text and score of the model, and the figures of the rules', async () => {
    server.play(says(FACT))
    const made = await generator().generate(given)
    const byRules = analyseByRules(given)
    expect(made).toEqual({
      ...byRules,
      content: { summary: FACT, sentiment_score: 0.25, signals: byRules.content.signals },
      modelId: 'test-model-2026-11',
      promptVersion: 'regime-prompt-1',
      promptHash: promptOf('regime').hash,
      inputTokens: 321,
      outputTokens: 45,
    })
  })

  it('sends the prompt of the registry and the facts as data, and requests the form', async () => {
    server.play(says(FACT))
    await generator().generate(given)
    const [call] = server.calls
    expect(call?.url).toBe('/v1/chat/completions')
    expect(call?.authorization).toBe(`Bearer ${API_KEY}`)
    expect(call?.body.model).toBe('test-model')
    expect(call?.body.temperature).toBe(0)
    expect(call?.body.response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } })
    const [system, user] = call?.body.messages ?? []
    expect(system).toEqual({ role: 'system', content: promptOf('regime').system })
    expect(JSON.parse(user?.content ?? '')).toMatchObject({
      asset: { name: 'Bitcoin', ticker: 'BTC', tier: 1 },
      signals: analyseByRules(given).content.signals,
    })
  })

  it('never scores a halal_analysis, whatever the model says', async () => {
    server.play(says('Bitcoin is the native coin of its own network.', 0.9))
    const { content } = await generator().generate({ ...given, analysisType: 'halal_analysis' })
    expect(content.sentiment_score).toBeNull()
    expect(content.aaoifi?.debt_to_market_cap).toBeNull()
  })

  it.each([
    ['a verdict', says('Bitcoin is halal.')],
    ['a recommendation', says('A good moment to buy.')],
    ['a price target', says('The price target is 150 USD.')],
    ['no JSON', { kind: 'content', content: 'Sure! Here is {"summary": ' } as const],
    ['another form', { kind: 'content', content: '{"text":"x"}' } as const],
    ['a score out of range', says(FACT, 7)],
    [
      'a member too many',
      { kind: 'content', content: '{"summary":"x","sentiment_score":0,"target":1}' } as const,
    ],
    ['an empty text', says('   ')],
    ['a control character', says('Bitcoin\u0000 rose.')],
    ['half a surrogate pair', says('Bitcoin \ud83d rose.')],
    ['a text far too long', says('word '.repeat(300))],
    [
      'an answer cut off',
      { kind: 'content', content: `{"summary":"x","sentiment_score":0}`, finishReason: 'length' } as const,
    ],
  ])('rejects %s and uses the next good answer', async (_what, bad) => {
    server.play(bad, says(FACT))
    const { content, inputTokens } = await generator().generate(given)
    expect(content.summary).toBe(FACT)
    expect(inputTokens).toBe(321)
    expect(server.calls).toHaveLength(2)
  })

  it('drops the analysis after three bad answers and logs the reason', async () => {
    server.play(says('The coin is undervalued.'))
    lines.length = 0
    const error = await failureOf(generator().generate(given))
    expect(error).toBeInstanceOf(DroppedAnalysis)
    expect(String(error)).toContain('dropped after 3 answers: the answer holds a valuation: "undervalued"')
    expect(server.calls).toHaveLength(3)
    const rejections = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'the answer was rejected')
    expect(rejections.map(({ asset, analysisType, attempt }) => [asset, analysisType, attempt])).toEqual([
      ['bitcoin', 'regime', 1],
      ['bitcoin', 'regime', 2],
      ['bitcoin', 'regime', 3],
    ])
  })

  it('retries once after a 500 and then gives up with the status', async () => {
    server.play({ kind: 'body', status: 500, text: '{"error":{"message":"down"}}' }, says(FACT))
    expect((await generator().generate(given)).content.summary).toBe(FACT)
    server.play({ kind: 'body', status: 500, text: '{}' })
    const error = await failureOf(generator().generate(given))
    expect(server.calls).toHaveLength(2)
    expect(error).not.toBeInstanceOf(DroppedAnalysis)
    expect(String(error)).toContain('500')
  })

  it('does not treat a refused key as a bad answer', async () => {
    server.play({
      kind: 'body',
      status: 401,
      text: '{"error":{"message":"Incorrect API key","type":"auth"}}',
    })
    const error = await failureOf(generator().generate(given))
    expect(error).not.toBeInstanceOf(DroppedAnalysis)
    expect(String(error)).toContain('Incorrect API key')
    expect(server.calls).toHaveLength(1)
  })

  it('fails on a body that is not JSON at all', async () => {
    server.play({ kind: 'body', status: 200, text: '<html>' })
    const error = await failureOf(generator().generate(given))
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(DroppedAnalysis)
  })

  it('gives up on a slow endpoint within its time', async () => {
    server.play({ kind: 'slow', ms: 2_000 })
    let error: unknown
    const waited = await waitedMs(async () => {
      error = await failureOf(generator(150).generate(given))
    })
    expect(waited).toBeLessThan(1_500)
    expect(error).toBeInstanceOf(UpstreamError)
    expect(error).toMatchObject({ kind: 'timeout' })
  })

  it('never writes the key into a log', () => {
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('')).not.toContain(API_KEY)
  })
})

describe('the prompt registry', () => {
  it('has a separate version and the hash of its text for every type', () => {
    const prompts = ANALYSIS_TYPES.map((type) => promptOf(type))
    expect(new Set(prompts.map(({ version }) => version)).size).toBe(3)
    for (const { system, hash } of prompts) expect(hash).toBe(`sha256:${sha256Hex(system)}`)
  })

  it('has changed no text without a new version', () => {
    expect(
      ANALYSIS_TYPES.map((type) => [promptOf(type).version, promptOf(type).hash.slice(0, 19)]),
    ).toMatchInlineSnapshot(`
      [
        [
          "halal-analysis-prompt-1",
          "sha256:63e7e231a174",
        ],
        [
          "market-context-prompt-1",
          "sha256:b5d7bd8cc4e8",
        ],
        [
          "regime-prompt-1",
          "sha256:6994f62f8c60",
        ],
      ]
    `)
  })
})

describe('the endpoint', () => {
  const all = { AI_BASE_URL: 'http://localhost:1234/v1', AI_API_KEY: 'k', AI_MODEL: 'm' }

  it('is configured by three variables together', () => {
    expect(loadConfig({}).languageModel).toBeNull()
    expect(loadConfig(all).languageModel).toEqual({ baseUrl: all.AI_BASE_URL, apiKey: 'k', modelId: 'm' })
    expect(() => loadConfig({ ...all, AI_MODEL: '' })).toThrow('AI_MODEL is missing')
    expect(() => loadConfig({ AI_MODEL: 'm' })).toThrow(/AI_BASE_URL is missing[\s\S]*AI_API_KEY is missing/)
    expect(() => loadConfig({ ...all, AI_BASE_URL: 'file:///etc' })).toThrow('AI_BASE_URL: must be an http')
  })
})
