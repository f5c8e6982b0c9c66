import { describe, expect, it } from 'vitest'
import { startOfAmount } from '../../../../src/domains/filings/periods/combined-amounts-model.js'
import { amountsOf, quarterOf, trailingOf, valueOrReason } from './period-cases.js'

const TAG = { tag: 'PaymentsToAcquireInvestments' }
const amounts = (...rows: Parameters<typeof amountsOf>[1]) => amountsOf(TAG.tag, rows)

/** Two fiscal years: 10, 20, 30 and 40 a quarter, then twice as much, filed a month after each period. */
const TWO_YEARS = amounts(
  ['2023-01-01', '2023-03-31', 10, 'q1-2023', '2023-04-30'],
  ['2023-01-01', '2023-06-30', 30, 'q2-2023', '2023-07-30'],
  ['2023-01-01', '2023-09-30', 60, 'q3-2023', '2023-10-30'],
  ['2023-01-01', '2023-12-31', 100, 'year-2023', '2024-01-30'],
  ['2024-01-01', '2024-03-31', 20, 'q1-2024', '2024-04-30'],
  ['2024-01-01', '2024-06-30', 60, 'q2-2024', '2024-07-30'],
  ['2024-01-01', '2024-09-30', 120, 'q3-2024', '2024-10-30'],
)

describe('a quarter', () => {
  it('of Snowflake is not the nine months', () => {
    const facts = amounts(
      ['2021-02-01', '2021-07-31', 1_988_633_000, '0001640147-21-000190', '2021-09-02'],
      ['2021-02-01', '2021-10-31', 3_042_396_000, '0001640147-21-000237', '2021-12-03'],
    )
    const quarter = quarterOf(facts, TAG, '2021-10-31')
    expect(valueOrReason(quarter)).toBe(1_053_763_000)
    expect(startOfAmount(quarter)).toBe('2021-08-01')
  })

  it('is the difference of the amounts since the start of the year', () => {
    const ends = ['2023-03-31', '2023-06-30', '2023-09-30', '2023-12-31']
    expect(ends.map((end) => valueOrReason(quarterOf(TWO_YEARS, TAG, end)))).toEqual([10, 20, 30, 40])
    expect(quarterOf(TWO_YEARS, TAG, '2023-12-31').note).toBeNull()
  })

  it('is null without the amount before, and says which is missing', () => {
    const facts = TWO_YEARS.filter(({ periodEnd }) => periodEnd !== '2023-09-30')
    expect(valueOrReason(quarterOf(facts, TAG, '2023-12-31'))).toMatch(
      /for the period from 2023-01-01 to 2023-12-31, not for its last quarter, and no amount from 2023-01-01 to the quarter before/,
    )
  })

  it('is null when the year starts on another day than the nine months', () => {
    const facts = TWO_YEARS.map((fact) =>
      fact.periodEnd === '2023-12-31'
        ? { ...fact, periodStart: '2023-01-02' as typeof fact.periodEnd }
        : fact,
    )
    expect(valueOrReason(quarterOf(facts, TAG, '2023-12-31'))).toMatch(/no amount from 2023-01-02/)
  })

  it('is null between an amended year and the nine months that are not amended, until they are filed again', () => {
    const amended = amounts(['2023-01-01', '2023-12-31', 90, 'amended-2023', '2024-08-01'])
    const facts = [...TWO_YEARS, ...amended]
    expect(valueOrReason(quarterOf(facts, TAG, '2023-12-31', '2024-07-31'))).toBe(40)
    expect(valueOrReason(quarterOf(facts, TAG, '2023-12-31'))).toBe(
      'the filings restate us-gaap:PaymentsToAcquireInvestments from 2024-08-01 on: the 365 days to 2023-12-31 in amended-2023, ' +
        'filed on 2024-08-01, is restated, and the 273 days to 2023-09-30 in q3-2023, filed on 2023-10-30, is not',
    )
    const again = amounts(['2023-01-01', '2023-09-30', 55, 'q3-2024', '2024-10-30'])
    expect(valueOrReason(quarterOf([...facts, ...again], TAG, '2023-12-31'))).toBe(35)
  })

  it('is not between an older filing and one that restates the year before', () => {
    const restated = amounts(['2023-01-01', '2023-06-30', 33, 'q2-2024', '2024-07-30'])
    expect(valueOrReason(quarterOf([...TWO_YEARS, ...restated], TAG, '2024-06-30'))).toMatch(
      /from 2024-07-30 on: the 182 days to 2024-06-30 in q2-2024, .* the 91 days to 2024-03-31 in q1-2024/,
    )
  })

  it('takes rounding to thousands or millions for no restatement', () => {
    const facts = amounts(
      ['2023-01-01', '2023-09-30', 61_400_000, 'q3', '2023-10-30'],
      ['2023-01-01', '2023-12-31', 100_499_999, 'year', '2024-01-30'],
      ['2023-01-01', '2023-12-31', 100_000_000, 'next year', '2025-01-30'],
    )
    expect(valueOrReason(quarterOf(facts, TAG, '2023-12-31'))).toBe(38_600_000)
  })

  it('is null when year and nine months have different tags, unless one of them states both alike', () => {
    const nineMonths = amountsOf('SalesRevenueNet', [['2017-10-01', '2018-06-30', 60, 'q3', '2018-07-30']])
    const year = amountsOf('RevenueFromContractWithCustomerExcludingAssessedTax', [
      ['2017-10-01', '2018-09-30', 100, 'year', '2018-10-30'],
    ])
    expect(valueOrReason(quarterOf([...nineMonths, ...year], 'revenue_usd', '2018-09-30'))).toMatch(
      /but us-gaap:SalesRevenueNet for .*: amounts of different tags are not combined/,
    )
    const both = amountsOf('SalesRevenueNet', [['2017-10-01', '2018-09-30', 100, 'year', '2018-10-30']])
    expect(valueOrReason(quarterOf([...nineMonths, ...year, ...both], 'revenue_usd', '2018-09-30'))).toBe(40)
  })

  it('is null in another currency, with the currency', () => {
    const facts = amountsOf('Revenues', [
      ['2023-01-01', '2023-09-30', 60, 'q3', '2023-10-30', 'EUR'],
      ['2023-01-01', '2023-12-31', 100, 'year', '2024-01-30', 'EUR'],
    ])
    const reason = 'the filings state us-gaap:Revenues in EUR, not in USD: nothing is converted'
    expect(valueOrReason(quarterOf(facts, 'revenue_usd', '2023-12-31'))).toBe(reason)
    expect(valueOrReason(trailingOf(facts, 'revenue_usd', '2023-12-31'))).toContain(reason)
  })

  it('of 16 weeks and a year of 12, 12, 12 and 16 weeks gives no amount by subtraction', () => {
    const facts = amounts(
      ['2023-09-04', '2023-11-26', 12, 'q1', '2023-12-20'],
      ['2023-09-04', '2024-02-18', 24, 'q2', '2024-03-13'],
      ['2023-09-04', '2024-05-12', 36, 'q3', '2024-06-05'],
      ['2023-09-04', '2024-09-01', 52, 'year', '2024-10-09'],
    )
    expect(valueOrReason(quarterOf(facts, TAG, '2023-11-26'))).toBe(12)
    expect(valueOrReason(quarterOf(facts, TAG, '2024-02-18'))).toMatch(/do not state/)
    expect(valueOrReason(quarterOf(facts, TAG, '2024-09-01'))).toMatch(
      /no amount from 2023-09-04 to the quarter before/,
    )
  })

  it('ends the transition period of a changed fiscal year', () => {
    const facts = amounts(
      ['2023-01-01', '2023-12-31', 100, 'year', '2024-01-30'],
      ['2024-01-01', '2024-03-31', 25, 'transition q1', '2024-04-30'],
      ['2024-01-01', '2024-06-30', 55, 'transition', '2024-08-30'],
      ['2024-07-01', '2024-09-30', 35, 'new q1', '2024-10-30'],
    )
    expect(valueOrReason(quarterOf(facts, TAG, '2024-06-30'))).toBe(30)
    expect(valueOrReason(trailingOf(facts, TAG, '2024-09-30'))).toMatch(
      /^the four quarters to 2024-09-30 are not complete/,
    )
  })
})

describe('trailing twelve months', () => {
  it('are the year plus the months since its end less the same months before', () => {
    const ends = ['2023-12-31', '2024-03-31', '2024-06-30', '2024-09-30']
    expect(ends.map((end) => valueOrReason(trailingOf(TWO_YEARS, TAG, end)))).toEqual([100, 110, 130, 160])
    expect(startOfAmount(trailingOf(TWO_YEARS, TAG, '2024-06-30'))).toBe('2023-07-01')
  })

  it('of a company that reports half-years are found, its quarters are not', () => {
    const facts = amounts(
      ['2022-01-01', '2022-06-30', 40, 'half-2022', '2022-08-30'],
      ['2022-01-01', '2022-12-31', 100, 'year-2022', '2023-03-30'],
      ['2023-01-01', '2023-06-30', 70, 'half-2023', '2023-08-30'],
    )
    expect(valueOrReason(trailingOf(facts, TAG, '2023-06-30'))).toBe(130)
    expect(valueOrReason(quarterOf(facts, TAG, '2023-06-30'))).toMatch(
      /no amount from 2023-01-01 to the quarter before/,
    )
  })

  it('are null when the months since the year are restated and the year is not', () => {
    const restated = amounts(['2023-01-01', '2023-03-31', 12, 'q1-2024', '2024-04-30'])
    expect(valueOrReason(trailingOf([...TWO_YEARS, ...restated], TAG, '2024-03-31', '2024-05-01'))).toMatch(
      /from 2024-04-30 on: .* the 365 days to 2023-12-31 in year-2023, filed on 2024-01-30, is not/,
    )
  })

  it('name quarters that do not add up to them', () => {
    const quarter = amounts(['2024-07-01', '2024-09-30', 61, 'q3-2024', '2024-10-30'])
    expect(trailingOf([...TWO_YEARS, ...quarter], TAG, '2024-09-30').note).toBe(
      'the four quarters add up to 161, the twelve months are 160: so the filings state them',
    )
  })
})
