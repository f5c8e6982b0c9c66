import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quotasOf } from '../../src/policy/limits.js'
import { type Scope, scopesOfTier } from '../../src/policy/scopes.js'
import { TIERS, type Tier } from '../../src/policy/tiers.js'
import { type Answer, type CallOptions, startTestApp, type TestApp, TestClock } from '../support/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../support/database.js'
import {
  type Arguments,
  argumentsWithoutExample,
  callGraphql,
  callRest,
  exampleArguments,
  type RootField,
  rootFields,
} from '../support/endpoint-calls.js'
import { plainBody, wasKept } from '../support/kept-answers.js'
import { fullSelection, selectionWithEdges } from '../support/selections.js'

/** A way to ask one question at both nodes. */
interface Question {
  readonly what: string
  readonly ask: (app: TestApp, call: CallOptions) => Promise<Answer>
}

/** Someone who may see something. */
interface Caller {
  readonly what: string
  readonly tier: Tier
  /** Left out: all of the tier's. */
  readonly scopes?: readonly Scope[]
}

/** What there is none of an example for in the schema, or what shows more than its example. */
const GIVEN: Readonly<Record<string, readonly Arguments[]>> = {
  ohlcv: [{}, { timeframe: '1h' }, { from: '2024-11-01T00:00:00Z' }],
  ai_analysis_history: [{}, { limit: 50 }, { as_of: '2026-07-01T00:00:00Z' }],
}

const ALL = [...scopesOfTier('enterprise')]

const CALLERS: readonly Caller[] = [
  ...TIERS.map((tier) => ({ what: tier, tier })),
  { what: 'enterprise without any', tier: 'enterprise', scopes: [] },
  // As free as the free tier, but of another; the answers are the same, and may be shared.
  { what: 'pro narrowed to starter', tier: 'pro', scopes: [...scopesOfTier('starter')] },
  ...(
    ['ai:read', 'ai:lineage', 'instruments:read', 'etf:read', 'history:full', 'ohlcv:intraday'] as const
  ).flatMap((scope): Caller[] => [
    { what: `only ${scope}`, tier: 'enterprise', scopes: [scope] },
    { what: `all but ${scope}`, tier: 'enterprise', scopes: ALL.filter((other) => other !== scope) },
  ]),
]

/** Times that each caller asks each question. */
const ROUNDS = 2

/** Deals the cards of a seeded game: the same order in every run. */
function shuffled<Card>(cards: readonly Card[], seed: number): readonly Card[] {
  let state = seed
  const next = () => {
    // Numerical Recipes' linear congruential generator.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  return cards
    .map((card) => ({ card, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ card }) => card)
}

function questionsOf(root: RootField, given: readonly Arguments[]): readonly Question[] {
  const { rest } = root.endpoint
  const selections = new Set([fullSelection(root.field.type), selectionWithEdges(root.field.type)])
  return given.flatMap((more) => {
    const args = exampleArguments(root, more)
    const what = `${root.name} ${JSON.stringify(args)}`
    const atGraphql = [...selections].map((wanted) => ({
      what: `GraphQL ${what} ${wanted}`,
      ask: (app: TestApp, call: CallOptions) => callGraphql(app, root, args, call, wanted),
    }))
    const atRest = {
      what: `REST ${what}`,
      ask: (app: TestApp, call: CallOptions) =>
        rest === null ? Promise.reject(new Error(what)) : callRest(app, root, rest, args, call),
    }
    return rest === null ? atGraphql : [atRest, ...atGraphql]
  })
}

describe('answers for one scope set', () => {
  let app: TestApp
  let keepless: TestApp
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    const clock = new TestClock(SEEDED_AT)
    const env = { BURST_PER_MINUTE: '1000000' }
    app = await startTestApp(quickestDatabase(), { database, clock, env })
    keepless = await startTestApp(quickestDatabase(), { database, clock, env: { ...env, CACHE_BYTES: '0' } })
  })
  afterAll(async () => {
    await Promise.all([app, keepless].map((one) => one?.close()))
    await app?.database.close()
  })

  /** Keys by caller, each with the units that its hour has left; both nodes count on the same account. */
  const keys = new Map<Caller, { key: string; left: number }>()

  /** More than any of the operations costs at both nodes. */
  const UNITS_PER_PAIR = 12

  async function keyOf(caller: Caller): Promise<string> {
    const known = keys.get(caller)
    if (known !== undefined && known.left >= UNITS_PER_PAIR) {
      known.left -= UNITS_PER_PAIR
      return known.key
    }
    const { tier, scopes } = caller
    const key = await app.newKey({ tier, ...(scopes && { scopes }) })
    keys.set(caller, { key, left: quotasOf(tier, null).hour - UNITS_PER_PAIR })
    return key
  }

  async function questions(): Promise<readonly Question[]> {
    const [newest] = await app.database.rows<{ id: string }>(
      'select snapshot_id as id from analysis_snapshot order by generated_at limit 1',
    )
    const found = { ai_analysis_snapshot: [{ snapshot_id: newest?.id }], api_key: [{ key_id: 'nothing' }] }
    const given: Readonly<Record<string, readonly Arguments[]>> = { ...GIVEN, ...found }
    // How much was used depends on who asked before, and its answer is never kept.
    const roots = rootFields().filter(({ operation, name }) => operation === 'query' && name !== 'usage')
    return roots.flatMap((root) => {
      expect(argumentsWithoutExample(root, given[root.name]?.[0] ?? {})).toEqual([])
      return questionsOf(root, given[root.name] ?? [{}])
    })
  }

  async function truthOf(question: Question, key: string) {
    const answer = await question.ask(keepless, { key })
    return { status: answer.status, body: plainBody(answer) }
  }

  it('never reach another, in whatever order they are asked for', { timeout: 300_000 }, async () => {
    const asked = await questions()
    const cards = CALLERS.flatMap((caller) => asked.map((question) => ({ caller, question })))
    const deal = shuffled(Array.from({ length: ROUNDS }, () => cards).flat(), 20_261_120)
    const counts = { kept: 0, refused: 0 }
    // Time stands still and nothing is written: the node that keeps nothing would answer the same again.
    const truths = new Map<string, { readonly status: number; readonly body: unknown }>()
    for (const { caller, question } of deal) {
      const key = await keyOf(caller)
      const who = `${caller.what} asks ${question.what}`
      // By account too, for what an account alone sees.
      const place = `${key} ${who}`
      const truth = truths.get(place) ?? (await truthOf(question, key))
      truths.set(place, truth)
      const answer = await question.ask(app, { key })
      expect([who, truth.status]).not.toEqual([who, 429])
      expect([who, answer.status, plainBody(answer)]).toEqual([who, truth.status, truth.body])
      counts.kept += wasKept(app, answer) ? 1 : 0
      counts.refused += truth.status === 403 ? 1 : 0
    }
    expect(counts.kept).toBeGreaterThan(deal.length / 4)
    expect(counts.refused).toBeGreaterThan(50)
  })
})
