import { beforeAll, describe, expect, it } from 'vitest'
import type { StatedFact } from '../../../../src/domains/filings/model.js'
import {
  calculationText,
  startOfAmount,
} from '../../../../src/domains/filings/periods/combined-amounts-model.js'
import { daysOfFact } from '../../../../src/domains/filings/periods/durations-model.js'
import { samplePath } from '../../../support/samples.js'
import { quarterOf, readAmounts, trailingOf, valueOrReason } from './period-cases.js'

const APPLE = samplePath('sec/companyfacts_CIK0000320193_apple_quarters_cut.json')
const NVIDIA = samplePath('sec/companyfacts_CIK0001045810_nvidia.json')
const ALPHABET = samplePath('sec/companyfacts_CIK0001652044_alphabet_trimmed.json')
const CASH = { tag: 'NetCashProvidedByUsedInOperatingActivities' }

describe.skipIf(APPLE === null || NVIDIA === null || ALPHABET === null)(
  'quarters of recorded companies (skipped without their sample files)',
  () => {
    let apple: readonly StatedFact[]
    let nvidia: readonly StatedFact[]
    let alphabet: readonly StatedFact[]
    beforeAll(async () => {
      apple = await readAmounts(APPLE ?? '')
      nvidia = await readAmounts(NVIDIA ?? '')
      alphabet = await readAmounts(ALPHABET ?? '')
    })

    /** Fourth quarters of Apple with revenue and net income in USD million. */
    const FOURTH: readonly (readonly [end: string, revenue: number, netIncome: number])[] = [
      ['2018-09-29', 62_900, 14_125],
      ['2019-09-28', 64_040, 13_686],
      ['2020-09-26', 64_698, 12_673],
      ['2021-09-25', 83_360, 20_551],
      ['2022-09-24', 90_146, 20_721],
      ['2023-09-30', 89_498, 22_956],
      ['2024-09-28', 94_930, 14_736],
      ['2025-09-27', 102_466, 27_466],
    ]

    it.each(FOURTH)('has the fourth quarter of Apple to %s', (end, revenue, netIncome) => {
      expect(valueOrReason(quarterOf(apple, 'revenue_usd', end))).toBe(revenue * 1e6)
      expect(valueOrReason(quarterOf(apple, 'net_income_usd', end))).toBe(netIncome * 1e6)
      expect(quarterOf(apple, 'revenue_usd', end).note).toBeNull()
    })

    it('computes the fourth quarters that Apple filed until 2020', () => {
      const ends = ['2017-09-30', '2018-09-29', '2019-09-28', '2020-09-26']
      const withoutFourth = apple.filter((fact) => !ends.includes(fact.periodEnd) || daysOfFact(fact) > 98)
      for (const name of ['revenue_usd', 'net_income_usd'] as const)
        for (const end of ends) {
          const filed = quarterOf(apple, name, end)
          const computed = quarterOf(withoutFourth, name, end)
          expect(filed.subtracted).toEqual([])
          expect(computed.subtracted).toHaveLength(1)
          expect([end, valueOrReason(computed)]).toEqual([end, valueOrReason(filed)])
        }
    })

    it('names the filings of a subtraction', () => {
      const quarter = quarterOf(apple, 'revenue_usd', '2025-09-27')
      expect(calculationText(quarter)).toBe(
        'the 364 days to 2025-09-27 in 0000320193-25-000079 minus the 273 days to 2025-06-28 in 0000320193-25-000073',
      )
      expect(startOfAmount(quarter)).toBe('2025-06-29')
    })

    it('has the quarter of 98 days and the year of 371 days', () => {
      const [first] = quarterOf(apple, 'revenue_usd', '2022-12-31').facts
      expect(first && daysOfFact(first)).toBe(98)
      expect(valueOrReason(quarterOf(apple, 'revenue_usd', '2022-12-31'))).toBe(117_154e6)
      const year = trailingOf(apple, 'revenue_usd', '2023-09-30')
      expect([valueOrReason(year), year.subtracted, year.note]).toEqual([383_285e6, [], null])
    })

    it('subtracts amounts since the start of the year when cash flows are filed only so', () => {
      expect(valueOrReason(quarterOf(apple, CASH, '2018-06-30'))).toBe(57_911e6 - 43_423e6)
      expect(valueOrReason(quarterOf(apple, CASH, '2018-09-29'))).toBe(77_434e6 - 57_911e6)
    })

    it('keeps original and restated amounts apart when a year is restated after its nine months', () => {
      const fourth = (by: string) => valueOrReason(quarterOf(apple, CASH, '2017-09-30', by))
      expect(fourth('2018-01-01')).toBe(63_598e6 - 47_942e6)
      expect(fourth('2018-08-15')).toBe(
        'the filings restate us-gaap:NetCashProvidedByUsedInOperatingActivities from 2018-05-02 on: the 280 days to 2017-07-01 ' +
          'in 0000320193-18-000100, filed on 2018-08-01, is restated, and the 371 days to 2017-09-30 in 0000320193-17-000070, ' +
          'filed on 2017-11-03, is not',
      )
      expect(fourth('2018-12-01')).toBe(64_225e6 - 48_476e6)
    })

    it('has the trailing twelve months of NVIDIA with the calculation', () => {
      const trailing = trailingOf(nvidia, 'revenue_usd', '2026-04-26')
      expect(valueOrReason(trailing)).toBe(253_491e6)
      expect(calculationText(trailing)).toMatch(
        /^the 364 days to 2026-01-25 in \S+ plus the 91 days to 2026-04-26 in \S+ minus the 91 days to 2025-04-27 in \S+$/,
      )
      expect(startOfAmount(trailing)).toBe('2025-04-28')
    })

    it('adds parts that are filed for different lengths', () => {
      const quarter = quarterOf(nvidia, 'ebitda_usd', '2026-01-25')
      expect(valueOrReason(quarter)).toBe(45_111e6)
      expect([quarter.facts.length, quarter.subtracted.length]).toEqual([2, 2])
    })

    it('says why four quarters do not add up to the year', () => {
      expect(quarterOf(nvidia, 'net_income_usd', '2024-01-28').note).toBe(
        'the four quarters add up to 29759000000, the twelve months are 29760000000: the filings round',
      )
    })

    it('shows the quarter that a later report of the same year restated as of each day', () => {
      const first = (by: string) => valueOrReason(quarterOf(nvidia, 'net_income_usd', '2016-05-01', by))
      expect([first('2016-11-21'), first('2016-11-22')]).toEqual([196e6, 208e6])
    })

    it('adds four filed quarters when the year has another tag than the months since its start', () => {
      const trailing = trailingOf(nvidia, 'revenue_usd', '2019-07-28')
      expect([valueOrReason(trailing), trailing.facts.length, trailing.subtracted]).toEqual([10_185e6, 4, []])
    })

    it('does not subtract earnings per share', () => {
      expect(valueOrReason(quarterOf(nvidia, 'eps_diluted', '2025-10-26'))).toBe(1.3)
      expect(valueOrReason(quarterOf(nvidia, 'eps_diluted', '2026-01-25'))).toMatch(
        /^the filings do not state it for the quarter to 2026-01-25; amounts per share .* are not added or subtracted/,
      )
      expect(valueOrReason(trailingOf(nvidia, 'eps_diluted', '2026-01-25'))).toBe(4.9)
    })

    it('has the loss in the fourth quarter of Alphabet', () => {
      expect(valueOrReason(quarterOf(alphabet, 'net_income_usd', '2017-12-31'))).toBe(-3_020e6)
      expect(valueOrReason(quarterOf(alphabet, 'revenue_usd', '2025-12-31'))).toBe(113_829e6)
      expect(valueOrReason(trailingOf(alphabet, 'revenue_usd', '2026-03-31'))).toBe(422_498e6)
    })
  },
)
