import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scope, scopesOfTier } from '../../../src/policy/scopes.js'
import { TIERS, type Tier } from '../../../src/policy/tiers.js'
import {
  type Answer,
  type CallOptions,
  startTestApp,
  type TestApp,
  TestClock,
} from '../../support/app/app.js'
import {
  type Arguments,
  argumentsWithoutExample,
  callGraphql,
  callRest,
  exampleArguments,
  type RootField,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { plainBody, wasKept } from '../../support/app/kept-answers.js'
import { fullSelection, selectionWithEdges } from '../../support/app/selections.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

/** A way to ask one question at both nodes. */
interface Question {
  readonly what: string
  /** Made from datasets alone, so the same for all accounts; other answers are of the account. */
  readonly isOfAll: boolean
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

/** Asked at a time, so that what is counted for them and read for them is put together. */
const AT_ONCE = 12

/** Keys tried for one question: those that ask at a time may spend a new one together. */
const MAX_TRIES = 5

/** Compressing an answer and reading it again takes longer than sending it. */
const PLAIN = { 'accept-encoding': 'identity' }

/** What two answers to one question have in common. */
interface Compared {
  readonly status: number
  readonly body: string
}

function comparedOf(answer: Answer): Compared {
  return { status: answer.status, body: JSON.stringify(plainBody(answer)) }
}

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
  const { rest, reads } = root.endpoint
  const isOfAll = reads !== null && reads.length > 0
  const selections = new Set([fullSelection(root.field.type), selectionWithEdges(root.field.type)])
  return given.flatMap((more) => {
    const args = exampleArguments(root, more)
    const what = `${root.name} ${JSON.stringify(args)}`
    const atGraphql = [...selections].map((wanted) => ({
      what: `GraphQL ${what} ${wanted}`,
      isOfAll,
      ask: (app: TestApp, call: CallOptions) => callGraphql(app, root, args, call, wanted),
    }))
    const atRest = {
      what: `REST ${what}`,
      isOfAll,
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

  /** The newest key of each caller; both nodes count on its account. */
  const keys = new Map<Caller, Promise<string>>()

  function newKeyOf(caller: Caller): Promise<string> {
    const { tier, scopes } = caller
    const key = app.newKey({ tier, ...(scopes && { scopes }) })
    keys.set(caller, key)
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

  /**
   * What the node that keeps nothing answers, by question, and by account where an account alone sees it. The clock does
   * not move and nothing is written, so it would answer the same again.
   */
  const truths = new Map<string, Promise<Compared>>()

  async function truthOf(question: Question, who: string, key: string): Promise<Compared> {
    const place = question.isOfAll ? who : `${key} ${who}`
    const known = truths.get(place)
    if (known !== undefined) return known
    const asked = question.ask(keepless, { key, headers: PLAIN }).then(comparedOf)
    truths.set(place, asked)
    const truth = await asked
    // Another key of the caller has units left.
    if (truth.status === 429) truths.delete(place)
    return truth
  }

  /** What both nodes answer to a caller: with another key where the hour of one is spent. */
  async function askBoth(question: Question, who: string, caller: Caller) {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const asking = keys.get(caller) ?? newKeyOf(caller)
      const key = await asking
      const truth = await truthOf(question, who, key)
      const answer = truth.status === 429 ? null : await question.ask(app, { key, headers: PLAIN })
      if (answer !== null && answer.status !== 429) return { truth, answer }
      // One of those that ask at a time makes the key for all.
      if (keys.get(caller) === asking) newKeyOf(caller)
    }
    throw new Error(`${who}: refused with ${MAX_TRIES} keys`)
  }

  it('never reach another, in any order of requests', { timeout: 300_000 }, async () => {
    const asked = await questions()
    const cards = CALLERS.flatMap((caller) => asked.map((question) => ({ caller, question })))
    const deal = shuffled(Array.from({ length: ROUNDS }, () => cards).flat(), 20_261_120)
    const counts = { kept: 0, refused: 0 }
    const wrong: unknown[] = []
    for (const caller of CALLERS) await newKeyOf(caller)
    for (let at = 0; at < deal.length; at += AT_ONCE) {
      const together = deal.slice(at, at + AT_ONCE).map(async ({ caller, question }) => {
        const who = `${caller.what} asks ${question.what}`
        const { truth, answer } = await askBoth(question, who, caller)
        const answered = comparedOf(answer)
        if (answered.status !== truth.status || answered.body !== truth.body)
          wrong.push({ who, answered, truth })
        counts.kept += wasKept(app, answer) ? 1 : 0
        counts.refused += truth.status === 403 ? 1 : 0
      })
      await Promise.all(together)
    }
    expect(wrong).toEqual([])
    expect(counts.kept).toBeGreaterThan(deal.length / 4)
    expect(counts.refused).toBeGreaterThan(50)
  })
})
