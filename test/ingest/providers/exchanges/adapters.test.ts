import { describe, expect, it } from 'vitest'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { FORMS, formOf, MINUTE, NOW, type RawBar, read, START } from './answers.js'

const at = (minute: number, cells: Omit<RawBar, 'ms'> = {}): RawBar => ({
  ms: START + minute * MINUTE,
  ...cells,
})

/** A good bar as `read` shows it: turnover from Binance and OKX, VWAP from Kraken, neither from the others. */
const EXTRAS: Readonly<Record<string, string>> = {
  binance: '204 -',
  bitstamp: '- -',
  coinbase: '- -',
  kraken: '- 102',
  okx: '204 -',
}

describe.each(FORMS.map((form) => [form.adapter.venue, form] as const))('%s', (venue, form) => {
  const good = (minute: number) => `${minute} 100 110 90 105 2 ${EXTRAS[venue]}`
  const answer = (...bars: readonly RawBar[]) => read(form, form.body(bars.map((bar) => form.row(bar))))

  it('reads bars with their venue, currency and figures, oldest first, with gaps', () => {
    expect(answer(at(5), at(1), at(3))).toEqual({ bars: [good(1), good(3), good(5)], rejected: [] })
    const { items } = asBars(form.adapter.parse(bytes(form.body([form.row(at(1))])), context(form.pair)))
    expect(items).toMatchObject([{ kind: 'row', row: { venue, quoteCurrency: form.pair.quoteCurrency } }])
  })

  it('reads figures as strings and as numbers to the last digit', () => {
    const cells = { open: '99.123456789012345678', high: '110', low: '"90"', close: '1.05e2', volume: '"2"' }
    expect(answer(at(1, cells))).toEqual({
      bars: [good(1).replace('100', '99.123456789012345678')],
      rejected: [],
    })
  })

  it('keeps a bar without trades', () => {
    const still = { open: '"7"', high: '"7"', low: '"7"', close: '"7"', volume: '"0.0"', quoteVolume: '"0"' }
    const [bar] = barsOf(answer(at(1, { ...still, vwap: '"0.0"' })))
    expect(bar).toBe(`1 7 7 7 7 0 ${EXTRAS[venue]?.startsWith('204') ? '0' : '-'} -`)
  })

  it('never gives a bar whose minute has not ended', () => {
    expect(answer(at(599), at(600))).toEqual({ bars: [good(599)], rejected: [] })
  })

  it('accepts a repeated minute once and rejects both rows that differ', () => {
    const minute = new Date(START + MINUTE).toISOString()
    const expected = [
      `row 3: ${minute} has different figures in row 1`,
      `row 1: ${minute} is repeated with different figures; no row is used`,
    ]
    expect(answer(at(1), at(1, { open: '"100.0"' }), at(1, { open: '101' }))).toEqual({
      bars: [],
      rejected: expected,
    })
  })

  it.each([
    [{ high: '-110' }, 'high "-110" is negative'],
    [{ low: '0' }, 'low is zero, but a price is above zero'],
    [{ close: 'NaN' }, 'close is "NaN", not a number'],
    [{ close: '"NaN"' }, 'close is "NaN", not a number'],
    [{ open: '-Infinity' }, 'open is "-Infinity", not a number'],
    [{ high: '1e400' }, 'high "1e400" is out of range: exponents go to ±30'],
    [{ high: '"1e400"' }, 'high "1e400" is out of range: exponents go to ±30'],
    [{ volume: '1e-400' }, 'volume "1e-400" is out of range: exponents go to ±30'],
    [{ volume: '"-1"' }, 'volume "-1" is negative'],
    [{ volume: '""' }, 'volume is "", not a number'],
    [{ open: 'null' }, 'open is null, not a number'],
    [{ open: 'true' }, 'open is true, not a number'],
    [{ open: '[1]' }, 'open is a list, not a number'],
    [{ open: '{"a":1}' }, 'open is an object, not a number'],
    [{ open: '"1,000.00"' }, 'open is "1,000.00", not a number'],
    [{ open: '"0x64"' }, 'open is "0x64", not a number'],
    [{ open: '"1\\n2"' }, 'open is "1?2", not a number'],
    [{ high: '80' }, 'high 80 is below low 90'],
    [{ open: '111' }, 'open 111 is outside low 90 and high 110'],
    [{ close: '89.9' }, 'close 89.9 is outside low 90 and high 110'],
    [{ time: '"yesterday"' }, 'time is "yesterday", not whole units since 1970'],
    [{ time: '-60' }, 'time is "-60", not whole units since 1970'],
    [{ time: '1.5' }, 'time is "1.5", not whole units since 1970'],
  ])('rejects %j alone, with its position and reason', (cells, reason) => {
    expect(answer(at(1), at(2, cells), at(3))).toEqual({
      bars: [good(1), good(3)],
      rejected: [`row 2: ${reason}`],
    })
  })

  it('rejects a time that is too early, too late or within a minute', () => {
    const rejected = (ms: number) => rejectedOf(answer({ ms }))[0]
    expect(rejected(60_000)).toBe('row 1: time 60000 ms is before 2009')
    expect(rejected(START + 605 * MINUTE)).toContain('ms is in the future')
    // Binance has days whose bars begin within a minute.
    if (form.adapter.venue === 'binance') expect(rejected(START + 1000)).toBeUndefined()
    else expect(rejected(START + 1000)).toContain('ms does not start a minute')
  })

  it('rejects a row of another shape alone', () => {
    const { bars, rejected } = parts(read(form, form.body(['[1]', 'null', '"x"', '{}', form.row(at(1))])))
    expect(bars).toEqual([good(1)])
    expect(rejected.map((text) => text.slice(0, 6))).toEqual(['row 1:', 'row 2:', 'row 3:', 'row 4:'])
  })

  it('reads an empty list as no bars', () => {
    expect(answer()).toEqual({ bars: [], rejected: [] })
  })

  it.each([
    ['', 'the body is empty'],
    [' \n', 'the body is empty'],
    ['<!DOCTYPE html><h1>Just a moment...</h1>', 'the body is HTML or XML, not JSON'],
    ['error code: 1020', 'the body is not JSON from character 1 on: "error code: 1020"'],
    ['[1,oops]', 'the body is not JSON from character 4 on: "oops]"'],
    ['{"a":1,}', 'the body is not JSON from character 8 on: "}"'],
    ['[] []', 'the body is not JSON from character 4 on: "[]"'],
    ['["\u0001"]', 'the body is not JSON from character 2 on: "\\"?\\"]"'.replaceAll('\\"', '"')],
    ['['.repeat(1_000_000), 'the body is nested too deeply'],
    ['"x"', '"x"'],
    ['null', 'null'],
  ])('refuses a body that is not an answer (%#)', (body, reason) => {
    expect(() => read(form, body)).toThrow(BrokenBody)
    expect(() => read(form, body)).toThrow(reason)
  })

  it('refuses bytes that are not text', () => {
    expect(() => read(form, Uint8Array.of(0x5b, 0xff, 0xfe))).toThrow('the body is not UTF-8 text')
  })

  it('does not trust a bad status, whatever the body', () => {
    expect(() => read(form, form.body([form.row(at(1))]), 451)).toThrow('status 451')
    expect(() => read(form, '<html>restricted</html>', 451)).toThrow('status 451; the body is HTML')
  })
})

describe('errors of the venues', () => {
  it.each([
    ['binance', 400, '{"code":-1121,"msg":"Invalid symbol."}'],
    ['bitstamp', 404, '<html>not found</html>'],
    ['coinbase', 404, '{"message":"NotFound"}'],
    ['kraken', 200, '{"error":["EQuery:Unknown asset pair"],"result":{}}'],
    ['okx', 200, '{"code":"51001","data":[],"msg":"Instrument ID does not exist"}'],
  ])('%s: an unknown pair is not listed, which is not a failure', (venue, status, body) => {
    expect(read(formOf(venue), body, status)).toBe('not_listed')
  })

  it.each([
    [
      'binance',
      418,
      '{"code":-1003,"msg":"Way too many requests"}',
      'status 418: code "-1003", msg "Way too',
    ],
    [
      'bitstamp',
      200,
      '{"code":"400.011","errors":[{"field":"step"}]}',
      'an error: code "400.011", errors a list',
    ],
    ['bitstamp', 200, '{"status":"error","reason":"busy"}', 'an error: status "error", reason "busy"'],
    ['coinbase', 400, '{"message":"granularity too small"}', 'message "granularity too small"'],
    ['kraken', 200, '{"error":["EAPI:Rate limit exceeded"]}', 'an error: "EAPI:Rate limit exceeded"'],
    ['kraken', 200, '{"error":"EService:Busy"}', 'EService:Busy'],
    [
      'kraken',
      200,
      '{"error":[],"result":{"XETHZUSD":[],"last":1}}',
      'the answer is about "XETHZUSD", not XBTUSD',
    ],
    ['kraken', 200, '{"error":[],"result":{"last":1}}', 'the answer is about nothing, not XBTUSD'],
    ['kraken', 200, '{"error":[]}', 'result is missing, not an object'],
    ['bitstamp', 200, '{"data":{"pair":"ETH/USD","ohlc":[]}}', 'the answer is about "ETH/USD", not btcusd'],
    ['bitstamp', 200, '{"data":{"pair":"BTC/USD"}}', 'ohlc is missing, not a list of rows'],
    [
      'okx',
      200,
      '{"code":"50011","msg":"Too Many Requests","data":[]}',
      'code "50011", msg "Too Many Requests"',
    ],
    ['okx', 200, '{"data":[]}', 'an error: data a list'],
    ['binance', 200, '502 Bad Gateway', 'the body is not JSON'],
  ])('%s %i %s is a failure with the venue’s message', (venue, status, body, reason) => {
    expect(() => read(formOf(venue), body, status)).toThrow(BrokenBody)
    expect(() => read(formOf(venue), body, status)).toThrow(reason)
  })

  it('kraken: a warning beside a good answer is not a failure', () => {
    const kraken = formOf('kraken')
    const body = kraken.body([kraken.row(at(1))]).replace('[]', '["WGeneral:Deprecated"]')
    expect(barsOf(read(kraken, body))).toHaveLength(1)
  })
})

describe('the peculiarities of venues', () => {
  it('kraken: the last row is never used, even if its minute has ended', () => {
    const { row } = formOf('kraken')
    const rows = [at(1), at(2)].map((bar) => row(bar))
    expect(barsOf(read(formOf('kraken'), `{"error":[],"result":{"XXBTZUSD":[${rows.join()}]}}`))).toEqual([
      '1 100 110 90 105 2 - 102',
    ])
  })

  it.each([
    ['XBTUSD', 'XXBTZUSD'],
    ['XDGUSD', 'XDGUSD'],
    ['USDTUSD', 'USDTZUSD'],
    ['SOLUSD', 'SOLUSD'],
  ])('kraken: an answer to %s may be named %s', (symbol, name) => {
    const form = { ...formOf('kraken'), pair: { symbol, quoteCurrency: 'USD' as const } }
    const body = form.body([form.row(at(1))]).replace('XXBTZUSD', name)
    expect(barsOf(read(form, body))).toHaveLength(1)
  })

  it('kraken: a VWAP outside the bar is rejected', () => {
    const { row, body } = formOf('kraken')
    expect(rejectedOf(read(formOf('kraken'), body([row(at(1, { vwap: '"0.0"' }))])))).toEqual([
      'row 1: vwap 0 does not fit low 90 and high 110',
    ])
  })

  it.each(['binance', 'okx'])('%s: a turnover that no price of the bar could give is rejected', (venue) => {
    const { row, body } = formOf(venue)
    const rows = [row(at(1, { quoteVolume: '2' })), row(at(2, { quoteVolume: '219.99' }))]
    const { bars, rejected } = parts(read(formOf(venue), body(rows)))
    expect(rejected).toEqual(['row 1: quote volume 2 does not fit volume 2 at 90 to 110'])
    expect(bars).toEqual(['2 100 110 90 105 2 219.99 -'])
  })

  it('okx: a bar that is not confirmed is left out, and another value is rejected', () => {
    const { row, body } = formOf('okx')
    const withFlag = (flag: string) => row(at(1)).replace(/"1"\]$/, `${flag}]`)
    expect(read(formOf('okx'), body([withFlag('"0"')]))).toEqual({ bars: [], rejected: [] })
    expect(rejectedOf(read(formOf('okx'), body([withFlag('"maybe"')])))).toEqual([
      'row 1: confirm is "maybe", neither 0 nor 1',
    ])
  })

  it('binance: a bar of another length is rejected', () => {
    const hour = formOf('binance')
      .row(at(0))
      .replace(String(START + MINUTE - 1), String(START + 3_599_999))
    expect(rejectedOf(read(formOf('binance'), `[${hour}]`))).toEqual([
      `row 1: from "${START}" to "${START + 3_599_999}" is not a minute`,
    ])
  })

  it('binance: a bar that begins 14.789 s late belongs to the minute of its begin, and two in one minute are both rejected', () => {
    const line = (start: number, open = 100) =>
      `[${start},${open},110,90,105,2,${start + MINUTE - 1},204,3,1,100,0]`
    const late = START + 14_789
    const body = [line(late), line(late + MINUTE), line(late + 2 * MINUTE), line(START + 2 * MINUTE, 101)]
    expect(read(formOf('binance'), `[${body.join()}]`)).toEqual({
      bars: ['0 100 110 90 105 2 204 -', '1 100 110 90 105 2 204 -'],
      rejected: [expect.stringContaining('row 4: '), expect.stringContaining('row 3: ')],
    })
  })
})

type Answer = ReturnType<(typeof FORMS)[number]['adapter']['parse']>

function asBars(answer: Answer) {
  if (answer.kind !== 'bars') throw new Error(answer.kind)
  return answer
}

function parts(outcome: ReturnType<typeof read>) {
  if (outcome === 'not_listed') throw new Error(outcome)
  return outcome
}

const barsOf = (outcome: ReturnType<typeof read>) => parts(outcome).bars
const rejectedOf = (outcome: ReturnType<typeof read>) => parts(outcome).rejected
const bytes = (text: string) => new TextEncoder().encode(text)
const context = (pair: (typeof FORMS)[number]['pair']) => ({ pair, status: 200, url: '', now: NOW })
