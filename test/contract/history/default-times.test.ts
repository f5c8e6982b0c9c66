import { getNamedType, isRequiredArgument } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hintsOf } from '../../../src/schema-kit/endpoint.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { callRest, exampleArguments, rootFields } from '../../support/app/endpoint-calls.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

/** Longer than any range that is taken where none is named. */
const YEARS_MS = 3 * 366 * 86_400_000

/** Arguments that say when; of a period, a snapshot or an instant. */
const TIMES =
  /^(?:ts|from|to|as_of|known_at|since|snapshot_date|report_date|(?:start|end)_(?:date|period)|(?:from|to)_snapshot)$/

/** What else than an answer is due, three years after the last fact. */
const OTHER_STATUSES: Readonly<Record<string, number>> = {
  // No amount is converted at a rate that is more than 14 days old: the refusal names the day to be given.
  forex_convert: 422,
  // A calendar refuses a year that it does not cover; it never answers an empty list.
  calendar: 422,
}

const timed = rootFields().filter(
  ({ operation, endpoint, field }) =>
    operation === 'query' &&
    endpoint.rest !== null &&
    field.args.some((argument) => TIMES.test(argument.name) && !isRequiredArgument(argument)),
)

describe('the default of a time', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    // All that is stored is of the past.
    const clock = new TestClock(new Date(SEEDED_AT.getTime() + YEARS_MS))
    app = await startTestApp(quickestDatabase(), { clock })
    key = await app.newKey({ tier: 'enterprise' })
  })
  afterAll(() => app?.close())

  it('covers every argument that names a time', () => {
    const times = rootFields().flatMap(({ field }) =>
      field.args.filter(({ type }) => ['Date', 'DateTime'].includes(getNamedType(type).name)),
    )
    const others = times.filter(({ name }) => !TIMES.test(name)).map(({ name }) => name)
    expect([...new Set(others)].toSorted()).toEqual(['date', 'expires_at', 'on'])
    expect(times.every((argument) => hintsOf(argument) !== undefined)).toBe(true)
    expect(timed.length).toBeGreaterThan(25)
  })

  it.each(timed)('makes no 404 of $name', async (root) => {
    const { rest } = root.endpoint
    if (rest === null) return
    const answer = await callRest(app, root, rest, exampleArguments(root, {}), { key })
    expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).toBe(OTHER_STATUSES[root.name] ?? 200)
  })
})
