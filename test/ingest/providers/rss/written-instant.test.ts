import { describe, expect, it } from 'vitest'
import { parseWrittenInstant } from '../../../../src/ingest/providers/rss/written-instant.js'

describe('an instant as feeds write it', () => {
  it.each([
    ['Tue, 10 Jun 2003 04:00:00 GMT', '2003-06-10T04:00:00.000Z'],
    ['10 Jun 2003 04:00 UT', '2003-06-10T04:00:00.000Z'],
    ['Tuesday, 1 June 03 4:00:00 EST', '2003-06-01T09:00:00.000Z'],
    ['Sat, 07 Sep 02 00:00:01 PDT', '2002-09-07T07:00:01.000Z'],
    ['Sun, 01 Jan 99 00:00:00 Z', '1999-01-01T00:00:00.000Z'],
    ['Wed, 02 Oct 2002 15:00:00 +0200', '2002-10-02T13:00:00.000Z'],
    ['Wed, 02 Oct 2002 15:00:00 -05:30', '2002-10-02T20:30:00.000Z'],
    ['Sat, 31 Dec 2016 23:59:60 GMT', '2016-12-31T23:59:59.000Z'],
    [' 2003-12-13T18:30:02Z\n', '2003-12-13T18:30:02.000Z'],
    ['2003-12-13T18:30:02.25+01:00', '2003-12-13T17:30:02.250Z'],
    ['2003-12-13t18:30:02.123456789z', '2003-12-13T18:30:02.123Z'],
    ['2003-12-13 18:30-0800', '2003-12-14T02:30:00.000Z'],
  ])('%s', (text, instant) => {
    expect(parseWrittenInstant(text)?.toISOString()).toBe(instant)
  })

  it.each([
    [''],
    ['2003-12-13'],
    ['2003-12-13T18:30:02'],
    ['Tue, 10 Jun 2003'],
    ['Tue, 10 Jun 2003 04:00:00'],
    ['Tue, 31 Jun 2003 04:00:00 GMT'],
    ['Tue, 10 Foo 2003 04:00:00 GMT'],
    ['Tue, 10 Jun 2003 24:00:00 GMT'],
    ['Tue, 10 Jun 2003 04:60:00 GMT'],
    ['Tue, 10 Jun 2003 04:00:00 CEST'],
    ['Tue, 10 Jun 2003 04:00:00 +2500'],
    ['2003-02-29T18:30:02Z'],
    ['1070000000'],
    ['Mon, 10 Jun 2003 04:00:00 GMT and more'],
  ])('%s is none', (text) => {
    expect(parseWrittenInstant(text)).toBeNull()
  })
})
