import { describe, expect, it } from 'vitest'
import { afterEcbPublication, byCron, ecbPublicationBefore } from '../../src/ingest/schedule.js'

const dates = (...texts: readonly string[]) => texts.map((text) => new Date(text))

describe('the schedule after the reference rates of the ECB', () => {
  it.each([
    ['a Friday morning, winter time', '2026-11-20T09:00:00Z', '2026-11-19T15:01:00Z', '2026-11-20T15:01:00Z'],
    ['the due instant itself', '2026-11-20T15:01:00Z', '2026-11-20T15:01:00Z', '2026-11-23T15:01:00Z'],
    ['a millisecond before it', '2026-11-20T15:00:59.999Z', '2026-11-19T15:01:00Z', '2026-11-20T15:01:00Z'],
    ['a Sunday', '2026-11-22T12:00:00Z', '2026-11-20T15:01:00Z', '2026-11-23T15:01:00Z'],
    ['summer time', '2026-07-01T14:00:00Z', '2026-06-30T14:01:00Z', '2026-07-01T14:01:00Z'],
    ['Easter', '2026-04-04T00:00:00Z', '2026-04-02T14:01:00Z', '2026-04-07T14:01:00Z'],
    ['the turn of the year', '2027-01-01T12:00:00Z', '2026-12-31T15:01:00Z', '2027-01-04T15:01:00Z'],
  ])('is due on TARGET days only: %s', (_name, instant, last, next) => {
    const [at, before, after] = dates(instant, last, next)
    expect(at && afterEcbPublication.last(at)).toEqual(before)
    expect(at && afterEcbPublication.next(at)).toEqual(after)
  })

  it('knows the publication that it follows', () => {
    expect(ecbPublicationBefore(new Date('2026-11-20T15:01:00Z'))).toEqual(new Date('2026-11-20T15:00:00Z'))
  })
})

describe('a schedule by a cron pattern', () => {
  const hourly = byCron('10 * * * *', 0)

  it.each([
    ['2026-11-20T12:09:59.999Z', '2026-11-20T11:10:00Z', '2026-11-20T12:10:00Z'],
    ['2026-11-20T12:10:00.000Z', '2026-11-20T12:10:00Z', '2026-11-20T13:10:00Z'],
    ['2026-11-20T12:10:00.500Z', '2026-11-20T12:10:00Z', '2026-11-20T13:10:00Z'],
    ['2026-12-31T23:59:00.000Z', '2026-12-31T23:10:00Z', '2027-01-01T00:10:00Z'],
  ])('counts in UTC, and treats a due instant as its own last one: %s', (instant, last, next) => {
    expect(hourly.last(new Date(instant))).toEqual(new Date(last))
    expect(hourly.next(new Date(instant))).toEqual(new Date(next))
  })

  it('refuses an invalid pattern', () => {
    expect(() => byCron('61 * * * *', 0)).toThrow()
  })

  it('has the same next instant for earlier and later instants in any order', () => {
    const hourly = byCron('10 * * * *', 0)
    const [early, late, due, before] = dates(
      '2026-11-20T09:11:00Z',
      '2026-11-20T10:09:59.999Z',
      '2026-11-20T10:10:00Z',
      '2026-11-20T09:09:00Z',
    )
    const next = [early, late, due, before, late].map((instant) => instant && hourly.next(instant))
    const [ten, eleven, nine] = dates('2026-11-20T10:10:00Z', '2026-11-20T11:10:00Z', '2026-11-20T09:10:00Z')
    expect(next).toEqual([ten, ten, eleven, nine, ten])
  })
})
