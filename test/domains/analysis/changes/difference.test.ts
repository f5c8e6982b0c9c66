import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Comparable,
  compareSnapshots,
  isMajorShift,
} from '../../../../src/domains/analysis/changes/difference.js'
import { CHANGE_TYPES, type ChangeType } from '../../../../src/domains/analysis/model.js'
import { content, daysAgo } from '../analysis-world.js'

const figure = fc.constantFrom(null, 0, 0.1, 0.2, -0.4)
const flag = fc.constantFrom(true, false)

const signals = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('return_7d', 'volatility_30d', 'above_average_200d'),
    value: fc.oneof(figure, flag),
    unit: fc.constantFrom(null, 'fraction'),
    threshold: figure,
  }),
  { selector: ({ name }) => name, maxLength: 3 },
)

const aaoifi = fc.record({
  debt_to_market_cap: figure,
  cash_to_market_cap: figure,
  interest_income_to_revenue: figure,
  inputs: fc.constant([]),
})

const word = fc.constantFrom('price', 'rose', 'fell', 'volume', 'doubled', 'steady')

/** Ends in a mark that nothing else holds, so that a leak of the text can be seen. */
const summary = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => `§ ${words.join(' ')}`)

const snapshotContent = fc
  .record({ summary, sentiment_score: figure, signals, aaoifi: fc.option(aaoifi, { nil: undefined }) })
  .map(({ aaoifi: ratios, ...rest }) => (ratios === undefined ? rest : { ...rest, aaoifi: ratios }))

const versions = fc.record({
  methodologyVersion: fc.constantFrom('m-1', 'm-2'),
  modelId: fc.constantFrom('rules-1', 'model-x'),
  promptVersion: fc.constantFrom(null, 'p-1', 'p-2'),
})

const EARLIER = '00000000-0000-4000-8000-000000000001'
const LATER = '00000000-0000-4000-8000-000000000002'

/** Earlier and later of one chain; the later restates the earlier or does not, and may speak of the same instant. */
const pair: fc.Arbitrary<readonly [Comparable, Comparable]> = fc
  .record({
    before: snapshotContent,
    after: fc.oneof(snapshotContent, fc.constant(null)),
    one: versions,
    other: versions,
    restates: flag,
    sameInstant: flag,
  })
  .map(({ before, after, one, other, restates, sameInstant }) => [
    { ...one, snapshotId: EARLIER, supersedes: null, generatedAt: daysAgo(2), sequence: 1, content: before },
    {
      ...other,
      snapshotId: LATER,
      supersedes: restates ? EARLIER : null,
      generatedAt: daysAgo(sameInstant ? 2 : 1),
      sequence: 2,
      content: after ?? before,
    },
  ])

function check(property: (earlier: Comparable, later: Comparable) => void): void {
  fc.assert(
    fc.property(pair, ([earlier, later]) => property(earlier, later)),
    { numRuns: 500 },
  )
}

const rank = (type: ChangeType) => CHANGE_TYPES.indexOf(type)

describe('the difference of two snapshots', () => {
  it('has the dominant reason, which no field outranks', () => {
    check((earlier, later) => {
      const { changeType, changes } = compareSnapshots(earlier, later)
      const expected = () => {
        if (later.supersedes === earlier.snapshotId) return 'RESTATEMENT'
        if (later.methodologyVersion !== earlier.methodologyVersion) return 'METHODOLOGY_CHANGE'
        const isUpgrade = later.modelId !== earlier.modelId || later.promptVersion !== earlier.promptVersion
        return isUpgrade ? 'MODEL_UPGRADE' : 'DATA_REFRESH'
      }
      expect(changeType).toBe(expected())
      for (const change of changes) expect(rank(change.change_type)).toBeGreaterThanOrEqual(rank(changeType))
    })
  })

  it('is the same in either order of the two', () => {
    check((earlier, later) => {
      expect(compareSnapshots(later, earlier)).toEqual(compareSnapshots(earlier, later))
    })
  })

  it('has a similarity and a verdict on it exactly if the text changed', () => {
    check((earlier, later) => {
      const { textChanged, similarity } = compareSnapshots(earlier, later)
      expect(textChanged).toBe(earlier.content.summary !== later.content.summary)
      expect(similarity === null).toBe(!textChanged)
      expect(isMajorShift(similarity)).toBe(similarity === null ? null : similarity < 0.7)
      if (similarity !== null) expect(similarity >= 0 && similarity <= 1).toBe(true)
    })
  })

  it('never holds text of the analysis', () => {
    check((earlier, later) => {
      const { changes } = compareSnapshots(earlier, later)
      expect(JSON.stringify(changes)).not.toContain('§')
      for (const { field, before, after } of changes) {
        expect(field).toMatch(
          /^(sentiment_score|signals\.\w+\.(value|threshold)|aaoifi\.\w+|methodology_version|model_id|prompt_version)$/,
        )
        const isVersion = /version|model/.test(field)
        expect(isVersion || (typeof before !== 'string' && typeof after !== 'string')).toBe(true)
        expect(before).not.toEqual(after)
      }
    })
  })

  it('is empty for an equal snapshot made by the same method', () => {
    check((earlier, later) => {
      const { methodologyVersion, modelId, promptVersion } = earlier
      const again = { ...later, supersedes: null, methodologyVersion, modelId, promptVersion }
      expect(compareSnapshots(earlier, { ...again, content: earlier.content })).toEqual({
        changeType: 'DATA_REFRESH',
        changes: [],
        textChanged: false,
        similarity: null,
      })
    })
  })

  const snapshot = (more: Partial<Comparable>): Comparable => ({
    snapshotId: EARLIER,
    supersedes: null,
    generatedAt: daysAgo(2),
    sequence: 1,
    content: content(),
    methodologyVersion: 'm-1',
    modelId: 'rules-1',
    promptVersion: null,
    ...more,
  })

  it('names each figure with its reason', () => {
    const later = snapshot({
      snapshotId: LATER,
      generatedAt: daysAgo(1),
      sequence: 2,
      modelId: 'model-x',
      promptVersion: 'p-1',
      content: content({
        summary: 'The price fell over the week.',
        signals: [
          { name: 'return_7d', value: -0.02, unit: 'fraction', threshold: 0.1 },
          { name: 'above_average_200d', value: false, unit: null, threshold: null },
        ],
      }),
    })
    expect(compareSnapshots(snapshot({}), later)).toEqual({
      changeType: 'MODEL_UPGRADE',
      changes: [
        { field: 'signals.return_7d.value', before: 0.031, after: -0.02, change_type: 'DATA_REFRESH' },
        { field: 'signals.return_7d.threshold', before: null, after: 0.1, change_type: 'DATA_REFRESH' },
        {
          field: 'signals.above_average_200d.value',
          before: null,
          after: false,
          change_type: 'DATA_REFRESH',
        },
        { field: 'model_id', before: 'rules-1', after: 'model-x', change_type: 'MODEL_UPGRADE' },
        { field: 'prompt_version', before: null, after: 'p-1', change_type: 'MODEL_UPGRADE' },
      ],
      textChanged: true,
      // "over price the week rose" and "over price the week fell": 4 of 24 letters differ.
      similarity: 0.833333,
    })
  })

  it('is a restatement through others in between if the caller says so', () => {
    const later = snapshot({
      snapshotId: LATER,
      supersedes: 'another',
      sequence: 3,
      content: content({ sentiment_score: 0 }),
    })
    expect(compareSnapshots(snapshot({}), later).changeType).toBe('DATA_REFRESH')
    expect(compareSnapshots(snapshot({}), later, true)).toMatchObject({
      changeType: 'RESTATEMENT',
      changes: [{ field: 'sentiment_score', before: 0.25, after: 0, change_type: 'RESTATEMENT' }],
    })
  })
})
