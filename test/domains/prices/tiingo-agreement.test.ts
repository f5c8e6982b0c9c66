import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { DecimalText } from '../../../src/core/decimal.js'
import type { IsoDate } from '../../../src/core/time.js'
import {
  adjustDays,
  adjustingActions,
  fractionOf,
  fractionToJsonNumber,
  multiply,
  type PriceAction,
  type PriorClose,
} from '../../../src/domains/prices/adjustment-model.js'
import { samplePath } from '../../support/samples.js'

const AAPL = samplePath('prices/tiingo_AAPL_2015-2025.csv')

interface Recorded {
  readonly date: IsoDate
  readonly close: DecimalText
  readonly adjClose: number
  readonly divCash: DecimalText
  readonly splitFactor: DecimalText
}

function readRecorded(path: string): readonly Recorded[] {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  const names = header.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    const cell = (name: string) => cells[names.indexOf(name)] ?? ''
    return {
      date: cell('date').slice(0, 10) as IsoDate,
      close: cell('close') as DecimalText,
      adjClose: Number(cell('adjClose')),
      divCash: cell('divCash') as DecimalText,
      splitFactor: cell('splitFactor') as DecimalText,
    }
  })
}

/** The actions of recorded rows, and the close before each. */
function actionsOf(rows: readonly Recorded[]) {
  const priors = new Map<IsoDate, PriorClose>()
  const actions = rows.flatMap(({ date, divCash, splitFactor }, at): PriceAction[] => {
    const before = rows[at - 1]
    if (before !== undefined) priors.set(date, { close: before.close, currency: 'USD' })
    const none = { exDate: date, ratio: null, amount: null, currency: null }
    return [
      ...(Number(divCash) > 0
        ? [{ ...none, actionType: 'dividend' as const, amount: divCash, currency: 'USD' }]
        : []),
      ...(Number(splitFactor) === 1 ? [] : [{ ...none, actionType: 'split' as const, ratio: splitFactor }]),
    ]
  })
  return { actions, priors }
}

describe.skipIf(AAPL === null)(
  'adjusted closes of AAPL beside those that Tiingo recorded (skipped without the sample)',
  () => {
    const rows = AAPL === null ? [] : readRecorded(AAPL)
    const { actions, priors } = actionsOf(rows)
    const days = rows.map(({ date }) => date)
    const closesFor = (adjustment: 'splits' | 'all') =>
      adjustDays(days, adjustingActions(actions, priors, adjustment)).map(({ factor }, at) =>
        fractionToJsonNumber(multiply(fractionOf(rows[at]?.close as DecimalText), factor)),
      )
    const relative = (a: number, b: number) => Math.abs(a / b - 1)

    it('have ten years with one split of 4 to 1 and 41 dividends', () => {
      expect([rows.length, actions.length]).toEqual([2564, 42])
      expect(actions.filter(({ actionType }) => actionType === 'split')).toMatchObject([
        { exDate: '2020-08-31', ratio: '4.0' },
      ])
    })

    it('are a quarter of the close before the split, if adjusted for splits only', () => {
      const adjusted = closesFor('splits')
      for (const [at, { date, close }] of rows.entries())
        expect(adjusted[at]).toBe(date < '2020-08-31' ? Number(close) / 4 : Number(close))
    })

    it('agree within 1e-4 on the return of every day but one', () => {
      const adjusted = closesFor('all')
      const apart = rows.flatMap(({ date, adjClose }, at) => {
        const [before, ours, oursBefore] = [rows[at - 1], adjusted[at], adjusted[at - 1]]
        if (before === undefined || ours === undefined || oursBefore === undefined) return []
        return relative(ours / oursBefore, adjClose / before.adjClose) > 1e-4 ? [date] : []
      })
      // The price fell by 3.6 % on this ex-date; the next test explains the difference.
      expect(apart).toEqual(['2017-08-10'])
    })

    it('differ by at most 1.6e-4 after 41 dividends, and by nothing once the divisor of dividends is the same', () => {
      const adjusted = closesFor('all')
      const apart = rows.map(({ adjClose }, at) => relative(adjusted[at] ?? Number.NaN, adjClose))
      expect(Math.max(...apart)).toBeLessThan(1.6e-4)
      expect(apart.filter((each) => each < 1e-4).length).toBe(2121)
      // Tiingo's factor of a dividend is close / (close + amount) with the close of the ex-date itself, ours
      // 1 − amount / close with that of the day before.
      let explained = 1
      for (let at = rows.length - 1; at >= 0; at--) {
        const row = rows[at] as Recorded
        expect(relative((adjusted[at] as number) * explained, row.adjClose)).toBeLessThan(1e-8)
        const [close, before, amount] = [row.close, rows[at - 1]?.close, row.divCash].map(Number) as [
          number,
          number,
          number,
        ]
        if (amount > 0) explained *= close / (close + amount) / (1 - amount / before)
      }
    })
  },
)
