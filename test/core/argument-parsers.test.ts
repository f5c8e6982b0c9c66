import { describe, expect, it } from 'vitest'
import {
  parseAsOfArgument,
  parseDate,
  parseInstant,
  parseLimit,
  parseOrder,
  parseUuidArgument,
} from '../../src/core/argument-parsers.js'
import { ApiError, type FieldProblem } from '../../src/core/errors.js'
import { Problems } from '../../src/core/problems.js'

const NOW = new Date('2026-03-02T10:00:00Z')
const LIMITS = { min: 1, max: 50, default: 20 }
const ID = '0b0f8b3a-6f6e-4d0e-9a43-3f5f0a9f7c11'

/** What a reader gives, and the problems that it noted. */
function reading<Value>(
  read: (problems: Problems) => Value,
): readonly [value: Value, problems: readonly FieldProblem[]] {
  const problems = new Problems()
  const value = read(problems)
  try {
    problems.refuse()
    return [value, []]
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return [value, error.details]
    throw error
  }
}

describe('parsers of arguments', () => {
  it('return null or the default for a missing value, without a problem', () => {
    for (const given of [undefined, null]) {
      expect(reading((problems) => parseDate(problems, 'from', given))).toEqual([null, []])
      expect(reading((problems) => parseInstant(problems, 'from', given))).toEqual([null, []])
      expect(reading((problems) => parseAsOfArgument(problems, { as_of: given }, NOW))).toEqual([null, []])
      expect(reading((problems) => parseUuidArgument(problems, 'id', given, 'a key'))).toEqual([null, []])
      expect(reading((problems) => parseLimit(problems, given, LIMITS))).toEqual([20, []])
    }
  })

  it('return valid values', () => {
    expect(reading((problems) => parseDate(problems, 'from', '2026-02-28'))).toEqual(['2026-02-28', []])
    expect(reading((problems) => parseInstant(problems, 'from', NOW))).toEqual([NOW, []])
    expect(reading((problems) => parseAsOfArgument(problems, { as_of: NOW }, NOW))).toEqual([
      { at: NOW, basis: 'observed' },
      [],
    ])
    expect(
      reading((problems) => parseAsOfArgument(problems, { as_of: NOW, basis: 'published' }, NOW)),
    ).toEqual([{ at: NOW, basis: 'published' }, []])
    expect(reading((problems) => parseUuidArgument(problems, 'id', ID.toUpperCase(), 'a key'))).toEqual([
      ID,
      [],
    ])
    expect(reading((problems) => parseLimit(problems, 50, LIMITS))).toEqual([50, []])
  })

  it('name all wrong values at once', () => {
    const later = new Date('2026-03-02T10:00:00.001Z')
    const [, problems] = reading((noted) => {
      parseDate(noted, 'from', '2026-02-30')
      parseInstant(noted, 'to', new Date('2200-01-01T00:00:00Z'))
      parseAsOfArgument(noted, { as_of: later }, NOW)
      parseLimit(noted, 51, LIMITS)
      parseUuidArgument(noted, 'id', 'k1', 'a key')
      parseOrder(noted, NOW, new Date(0))
    })
    expect(problems).toEqual([
      { field: 'from', message: 'must be a calendar day, YYYY-MM-DD; got "2026-02-30"' },
      { field: 'to', message: 'must be in the years 1970 to 2199; got 2200-01-01T00:00:00.000Z' },
      {
        field: 'as_of',
        message: 'must not be in the future: nothing is known of it yet; got 2026-03-02T10:00:00.001Z',
      },
      { field: 'limit', message: 'must be between 1 and 50; got 51' },
      { field: 'id', message: 'must be the UUID of a key; got "k1"' },
      {
        field: 'from',
        message: 'must not be after to; got 2026-03-02T10:00:00.000Z and 1970-01-01T00:00:00.000Z',
      },
    ])
  })

  it('name at most fifty problems', () => {
    const [, problems] = reading((noted) => {
      for (let place = 0; place < 60; place += 1) noted.add(`field${place}`, 'is wrong')
    })
    expect(problems).toHaveLength(50)
  })
})
