import { describe, expect, it } from 'vitest'
import type { DecimalText } from '../../../src/core/decimal.js'
import type { IsoDate } from '../../../src/core/time.js'
import {
  adjustDays,
  adjustingActions,
  fractionOf,
  fractionToJsonNumber,
  type PriceAction,
  type PriorClose,
} from '../../../src/domains/prices/adjustment-model.js'
import { noise } from '../../../src/ingest/seed/values/noise.js'

const day = (text: string) => text as IsoDate
const decimalText = (text: string) => text as DecimalText

const NONE = { ratio: null, amount: null, currency: null }
const split = (exDate: string, ratio: string | null): PriceAction => ({
  ...NONE,
  actionType: ratio !== null && Number(ratio) < 1 ? 'reverse_split' : 'split',
  exDate: day(exDate),
  ratio: ratio === null ? null : decimalText(ratio),
})
const spinOff = (exDate: string, ratio: string | null): PriceAction => ({
  ...NONE,
  actionType: 'spin_off',
  exDate: day(exDate),
  ratio: ratio === null ? null : decimalText(ratio),
})
const dividend = (exDate: string, amount: string, currency = 'USD'): PriceAction => ({
  ...NONE,
  actionType: 'dividend',
  exDate: day(exDate),
  amount: decimalText(amount),
  currency,
})
const closes = (...all: readonly (readonly [exDate: string, close: string])[]) =>
  new Map<IsoDate, PriorClose>(
    all.map(([exDate, close]) => [day(exDate), { close: decimalText(close), currency: 'USD' }]),
  )
const shown = (actions: ReturnType<typeof adjustingActions>) =>
  actions.map(({ actionType, factor, notAdjustedReason }) => [
    actionType,
    factor === null ? notAdjustedReason : fractionToJsonNumber(factor),
  ])

describe('the factor of an action', () => {
  it('is 1/ratio for a split of 4 to 1 and for a reverse split of 1 to 10', () => {
    const actions = adjustingActions(
      [split('2024-06-10', '4'), split('2024-07-01', '0.1')],
      new Map(),
      'splits',
    )
    expect(shown(actions)).toEqual([
      ['reverse_split', 10],
      ['split', 0.25],
    ])
  })

  it('is 1 − amount / close of the day before for a dividend, on any weekday', () => {
    const wednesday = '2024-05-15'
    const actions = adjustingActions([dividend(wednesday, '0.25')], closes([wednesday, '200']), 'all')
    expect(shown(actions)).toEqual([['dividend', 0.99875]])
  })

  it('is exact: three dividends of a third of a cent leave no rounding error', () => {
    const days = ['2024-03-01', '2024-02-01', '2024-01-02']
    const actions = adjustingActions(
      days.map((exDate) => dividend(exDate, '1')),
      closes(...days.map((exDate) => [exDate, '3'] as const)),
      'all',
    )
    const [first] = adjustDays([day('2023-12-29')], actions)
    expect(first?.factor).toEqual({ numerator: 8n, denominator: 27n })
  })

  it('is the value ratio of a spin-off', () => {
    expect(shown(adjustingActions([spinOff('2024-04-02', '0.8')], new Map(), 'all'))).toEqual([
      ['spin_off', 0.8],
    ])
  })

  it.each<[string, PriceAction, string]>([
    [
      'a spin-off without a value ratio',
      spinOff('2024-04-02', null),
      'The value ratio of the spin-off is unknown.',
    ],
    ['a split without a ratio', split('2024-04-02', null), 'The ratio of the split is unknown.'],
    ['a merger', { ...split('2024-04-02', '2'), actionType: 'merger' }, 'A merger has no factor.'],
    [
      'a dividend in another currency',
      dividend('2024-04-02', '1', 'GBP'),
      'The dividend is in GBP, the close before it in USD.',
    ],
    [
      'a dividend without a close before it',
      dividend('2024-04-03', '1'),
      'No close is known for the 10 days before the ex-date.',
    ],
    [
      'a dividend that is not below the close',
      dividend('2024-04-02', '50'),
      'The dividend is not below the close before it.',
    ],
  ])('is missing for %s, with the reason, and the other factors count', (_, action, reason) => {
    const actions = adjustingActions([action, split('2024-05-01', '2')], closes(['2024-04-02', '50']), 'all')
    expect(actions.at(-1)).toMatchObject({ factor: null, notAdjustedReason: reason })
    const [first] = adjustDays([day('2024-03-01')], actions)
    expect(first?.actions).toHaveLength(2)
    expect(fractionToJsonNumber(first?.factor ?? fractionOf(decimalText('0')))).toBe(0.5)
  })

  it('counts only splits if only splits are requested', () => {
    const actions = [split('2024-04-02', '2'), dividend('2024-04-02', '1'), spinOff('2024-04-02', '0.5')]
    expect(shown(adjustingActions(actions, closes(['2024-04-02', '50']), 'splits'))).toEqual([['split', 0.5]])
    expect(adjustingActions(actions, new Map(), 'none')).toEqual([])
  })
})

describe('several actions of one day', () => {
  it('count as split, spin-off, dividend, so that the dividend is per share after the split', () => {
    const actions = [dividend('2024-04-02', '1'), spinOff('2024-04-02', '0.8'), split('2024-04-02', '2')]
    // A close of 100 is 50 after the split and 40 after the spin-off; the dividend leaves 39 of 40.
    expect(shown(adjustingActions(actions, closes(['2024-04-02', '100']), 'all'))).toEqual([
      ['split', 0.5],
      ['spin_off', 0.8],
      ['dividend', 0.975],
    ])
  })

  it('of which two are dividends take their sum off the close', () => {
    const actions = [dividend('2024-04-02', '1'), dividend('2024-04-02', '3')]
    const [first] = adjustDays(
      [day('2024-04-01')],
      adjustingActions(actions, closes(['2024-04-02', '100']), 'all'),
    )
    expect(first && fractionToJsonNumber(first.factor)).toBe(0.96)
  })
})

describe('the factor of a day', () => {
  it('has the actions with a later ex-date, and is 1 from the newest ex-date on', () => {
    const actions = adjustingActions(
      [split('2024-01-04', '2'), split('2024-01-08', '5')],
      new Map(),
      'splits',
    )
    const days = ['2024-01-03', '2024-01-04', '2024-01-05', '2024-01-08', '2024-01-09'].map(day)
    const found = adjustDays(days, actions)
    expect(found.map(({ factor }) => fractionToJsonNumber(factor))).toEqual([0.1, 0.2, 0.2, 1, 1])
    expect(found.map(({ actions: { length } }) => length)).toEqual([2, 1, 1, 0, 0])
  })

  it.each([1, 2, 3, 4, 5, 6])(
    'gives returns that do not depend on the last day of the series (random series %i)',
    (seed) => {
      const random = (name: string) => noise(`returns ${seed} ${name}`)
      const days = Array.from({ length: 120 }, (_, at) =>
        day(new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10)),
      )
      const price = (at: number) => (20 + 300 * random(`close ${at}`)).toFixed(2)
      const all = days.flatMap((exDate, at) => {
        const kind = random(`kind ${at}`)
        if (at === 0 || kind > 0.2) return []
        if (kind < 0.05) return split(exDate, ['2', '4', '0.1', '3'][at % 4] ?? '2')
        if (kind < 0.07) return spinOff(exDate, '0.83')
        return dividend(exDate, (5 * random(`amount ${at}`)).toFixed(4))
      })
      const priors = closes(...days.map((exDate, at) => [exDate, price(at - 1)] as const))
      const untilDay = (last: IsoDate) =>
        adjustDays(
          days.filter((each) => each <= last),
          adjustingActions(
            all.filter(({ exDate }) => exDate <= last),
            priors,
            'all',
          ),
        )
      const whole = untilDay(days.at(-1) as IsoDate)
      for (const end of [30, 61, 100]) {
        const part = untilDay(days[end] as IsoDate)
        for (let at = 1; at <= end; at++) {
          const [a, b] = [part[at - 1], part[at]]
          const [x, y] = [whole[at - 1], whole[at]]
          if (!a || !b || !x || !y) expect.fail('every day has a factor')
          // a/b = x/y as exact fractions.
          expect(
            a.factor.numerator * b.factor.denominator * x.factor.denominator * y.factor.numerator ===
              a.factor.denominator * b.factor.numerator * x.factor.numerator * y.factor.denominator,
          ).toBe(true)
        }
      }
    },
  )
})

describe('a fraction', () => {
  it.each([
    ['1', '3'],
    ['2', '3'],
    ['109.33', '1'],
    ['0.00000001', '7'],
    ['123456789012.12345678', '0.0001'],
  ])('%s / %s becomes the double next to it', (numerator, denominator) => {
    const [a, b] = [fractionOf(decimalText(numerator)), fractionOf(decimalText(denominator))]
    const fraction = {
      numerator: a.numerator * b.denominator,
      denominator: a.denominator * b.numerator,
    }
    expect(fractionToJsonNumber(fraction)).toBe(Number(numerator) / Number(denominator))
  })
})
