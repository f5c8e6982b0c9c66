import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isObject } from '../../../src/core/is-object.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { callGraphql, callRest, exampleArguments, rootFields } from '../../support/app/endpoint-calls.js'
import { fullSelection } from '../../support/app/selections.js'
import { quickestDatabase } from '../../support/database/database.js'

/** The published bounds; a ratio is below its bound or not. */
const BOUNDS = { debt_to_market_cap: 0.33, cash_to_market_cap: 0.33, interest_income_to_revenue: 0.05 }

/** Fields whose answers have AAOIFI ratios. */
const HAVE_RATIOS = [
  'ai_analysis_diff',
  'ai_analysis_latest',
  'ai_analysis_snapshot',
  'star_fact_ai_analysis',
  'stock_ai_analysis',
  'stock_fundamentals',
]

/** Every block of ratios in an answer, by the ratios that it has. */
function blocksIn(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(answer)) return answer.flatMap(blocksIn)
  if (!isObject(answer)) return []
  const own = Object.keys(BOUNDS).every((ratio) => ratio in answer) && 'inputs' in answer ? [answer] : []
  return [...own, ...Object.values(answer).flatMap(blocksIn)]
}

/** What a block is to say of its ratios. */
function expectedSignal(block: Readonly<Record<string, unknown>>): boolean | null {
  const pairs = Object.entries(BOUNDS).map(([ratio, bound]) => [block[ratio], bound] as const)
  if (pairs.some(([value]) => value === null)) return null
  return pairs.every(([value, bound]) => Number(value) < bound)
}

describe('a block of AAOIFI ratios', () => {
  let app: TestApp
  let key: string
  let snapshotId: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
    const [snapshot] = await app.database.rows<{ id: string }>(
      `select snapshot_id as id from analysis_snapshot where analysis_type = 'halal_analysis' limit 1`,
    )
    snapshotId = snapshot?.id ?? expect.fail('no snapshot')
  })
  afterAll(() => app?.close())

  it('says in REST and GraphQL whether every ratio is below its bound, null if one is missing', async () => {
    const found = new Set<string>()
    for (const root of rootFields()) {
      const { rest } = root.endpoint
      if (root.operation === 'mutation') continue
      const has = (name: string) => root.field.args.some((argument) => argument.name === name)
      const args = exampleArguments(root, {
        ...(has('snapshot_id') && { snapshot_id: snapshotId }),
        ...(has('analysis_type') && root.name !== 'asset_ai' && { analysis_type: 'halal_analysis' }),
        ...(has('limit') && { limit: 50 }),
      })
      const selection = fullSelection(root.field.type)
      const answers = [
        (await callGraphql(app, root, args, { key }, selection)).body,
        rest === null ? null : (await callRest(app, root, rest, args, { key })).body,
      ]
      for (const block of answers.flatMap(blocksIn)) {
        expect([root.name, block.below_thresholds]).toEqual([root.name, expectedSignal(block)])
        found.add(root.name)
      }
    }
    expect([...found].toSorted()).toEqual(HAVE_RATIOS)
  })
})
