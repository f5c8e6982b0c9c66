import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Slug } from '../../../src/core/identifiers.js'
import type { AnalysisType, NewSnapshot, Snapshot } from '../../../src/domains/analysis/model.js'
import { getHistory, type HistoryQuery } from '../../../src/domains/analysis/snapshots/service.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { content, daysAgo, draft, land, NOW, requestOf, TYPES, writeAssets } from './analysis-world.js'

const ASSETS = 10
const ROUNDS = 8

/** Questions asked in one request. */
const PER_REQUEST = 50

/** Thousands of statements on a machine that may be busy. */
const LONG_MS = 120_000

interface HistoryAnswer {
  readonly total: number
  readonly ids: readonly string[]
}

/** A repeatable sequence of numbers in [0, 1) (mulberry32), so that a failure can be looked at again. */
function repeatable(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function pick<Of>(from: readonly Of[], random: () => number): Of {
  const found = from[Math.floor(random() * from.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

const slugOf = (assetId: number) => (assetId === 1 ? 'bitcoin' : `asset-${assetId}`) as Slug // named so by writeAssets

function everyChain(): readonly { readonly assetId: number; readonly analysisType: AnalysisType }[] {
  return Array.from({ length: ASSETS }, (_, index) => index + 1).flatMap((assetId) =>
    TYPES.map((analysisType) => ({ assetId, analysisType })),
  )
}

/** Eight rounds over 80 days, each known an hour after it was generated, every fourth a correction of the one before. */
async function writePast(database: Database): Promise<readonly Snapshot[]> {
  const newest = new Map<string, Snapshot>()
  const all: Snapshot[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const generatedAt = daysAgo(80 - round * 10)
    const drafts = everyChain().map((chain): NewSnapshot => {
      const before = newest.get(`${chain.assetId} ${chain.analysisType}`)
      const supersedes = round % 4 === 3 && before ? before.snapshotId : null
      return draft({ ...chain, generatedAt, supersedes, content: content({ summary: `Round ${round}.` }) })
    })
    const added = await land(database, drafts, { knownAt: new Date(generatedAt.getTime() + 3_600_000) })
    for (const snapshot of added) newest.set(`${snapshot.assetId} ${snapshot.analysisType}`, snapshot)
    all.push(...added)
  }
  return all
}

describe.each(availableDatabases())('history as of an instant on %s', (kind) => {
  let database: Database
  let past: readonly Snapshot[]
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await writeAssets(database, ASSETS)
    past = await writePast(database)
  })
  afterAll(() => database?.close())

  /** Answers in the order of the questions; those of one request share its loaders. */
  const askAll = async (questions: readonly HistoryQuery[], now = NOW): Promise<readonly HistoryAnswer[]> => {
    const answers: HistoryAnswer[] = []
    for (let place = 0; place < questions.length; place += PER_REQUEST) {
      const context = await requestOf(database, { now })
      const histories = questions.slice(place, place + PER_REQUEST).map((query) => getHistory(query, context))
      for (const { snapshots, total } of await Promise.all(histories))
        answers.push({ total, ids: snapshots.map(({ snapshotId }) => snapshotId) })
    }
    return answers
  }

  it('shows what was known then: neither later snapshots nor corrected ones', async () => {
    const chain = past.filter(({ assetId, analysisType }) => assetId === 1 && analysisType === 'regime')
    const ids = chain.map(({ snapshotId }) => snapshotId)
    const at = async (asOf: Date) =>
      (
        await askAll([
          { slug: slugOf(1), analysisType: 'regime', isOpen: false, limit: 50, before: null, asOf },
        ])
      )[0]
    const knownOfRound = (round: number) => new Date(daysAgo(80 - round * 10).getTime() + 3_600_000)
    const justBefore = (instant: Date) => new Date(instant.getTime() - 1)
    expect(await at(justBefore(knownOfRound(0)))).toEqual({ total: 0, ids: [] })
    expect(await at(knownOfRound(0))).toEqual({ total: 1, ids: [ids[0]] })
    expect(await at(justBefore(knownOfRound(3)))).toEqual({ total: 3, ids: [ids[2], ids[1], ids[0]] })
    // The fourth corrects the third.
    expect(await at(knownOfRound(3))).toEqual({ total: 3, ids: [ids[3], ids[1], ids[0]] })
    expect(await at(NOW)).toEqual({ total: 6, ids: [7, 5, 4, 3, 1, 0].map((round) => ids[round]) })
  })

  it(
    'answers 1,000 questions as before once 200 corrections and late snapshots are written',
    async () => {
      const random = repeatable(20_261_120)
      // 100 instants and limits of ten questions each, which one statement answers together.
      const questions = Array.from({ length: 100 }, () => {
        const view = { limit: 1 + Math.floor(random() * 12), asOf: daysAgo(random() * 85) }
        return Array.from({ length: 10 }, (): HistoryQuery => {
          const { assetId, analysisType } = pick(everyChain(), random)
          return { slug: slugOf(assetId), analysisType, isOpen: false, before: null, ...view }
        })
      }).flat()
      const answers = await askAll(questions)
      expect(answers.filter(({ ids }) => ids.length > 0).length).toBeGreaterThan(800)

      const now = new Date(NOW.getTime() + 60_000)
      const written = await correct(random, now)
      expect(written).toBe(200)

      expect(await askAll(questions, now)).toEqual(answers)
      // What is known now has changed all the same.
      const whole = (asOf: Date | null) =>
        everyChain().map(({ assetId, analysisType }) => ({
          slug: slugOf(assetId),
          analysisType,
          isOpen: false,
          limit: 50,
          before: null,
          asOf,
        }))
      const before = await askAll(whole(NOW), now)
      const after = await askAll(whole(null), now)
      const changed = after.filter(({ ids }, place) => ids.join() !== before[place]?.ids.join())
      expect(changed.length).toBeGreaterThan(25)
    },
    LONG_MS,
  )

  /** 140 corrections of visible snapshots, corrections of some of those, and late ones that correct nothing: 200 in all. */
  async function correct(random: () => number, knownAt: Date): Promise<number> {
    const superseded = new Set(past.map(({ supersedes }) => supersedes))
    const standing = past.filter(({ snapshotId }) => !superseded.has(snapshotId))
    const first = standing.slice(0, 140)
    const restate = (snapshot: Snapshot) =>
      draft({
        assetId: snapshot.assetId,
        analysisType: snapshot.analysisType,
        generatedAt: snapshot.generatedAt,
        supersedes: snapshot.snapshotId,
        content: content({ summary: 'Corrected.' }),
      })
    const corrected = await land(database, first.map(restate), { knownAt })
    const twice = await land(database, corrected.slice(0, 30).map(restate), { knownAt })
    const late = Array.from({ length: 30 }, () =>
      draft({ ...pick(everyChain(), random), generatedAt: daysAgo(random() * 85) }),
    )
    const added = await land(database, late, { knownAt })
    return corrected.length + twice.length + added.length
  }
})
