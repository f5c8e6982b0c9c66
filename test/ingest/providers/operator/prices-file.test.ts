import { describe, expect, it } from 'vitest'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { pricesFile } from '../../../../src/ingest/providers/operator/prices-file.js'
import { lines, readStream } from '../read-stream.js'

const feed = pricesFile([
  { instrumentId: 1, ticker: 'NVDA', mic: 'XNAS', exchange: null },
  { instrumentId: 2, ticker: 'SAP', mic: 'XETR', exchange: null },
  { instrumentId: 3, ticker: 'SAP', mic: 'XNYS', exchange: null },
  { instrumentId: 4, ticker: 'LIST', mic: null, exchange: 'NYSE' },
])
const HEADER = 'ticker,mic,date,close,currency'
const read = (...rows: string[]) => readStream(feed, lines(HEADER, ...rows))

/** The provider, and the columns that a file may leave out. */
const ONLY_CLOSE = { source: 'operator', open: null, high: null, low: null, volume: null }

describe('a file of daily prices', () => {
  it('has a price of a listing and day on each line, in columns of any order', async () => {
    expect(
      await read(
        'NVDA,XNAS,2026-01-30,191.13,USD',
        'nvda,,2026-01-29,190,USD',
        'SAP,xetr,2026-01-30,200.5,EUR',
      ),
    ).toEqual({
      rows: [
        { instrumentId: 1, date: '2026-01-30', close: '191.13', currency: 'USD', ...ONLY_CLOSE },
        { instrumentId: 1, date: '2026-01-29', close: '190', currency: 'USD', ...ONLY_CLOSE },
        { instrumentId: 2, date: '2026-01-30', close: '200.5', currency: 'EUR', ...ONLY_CLOSE },
      ],
      rejections: [],
    })
    const other = await readStream(feed, lines('close,date,currency,mic,Ticker', '5,2026-01-30,USD,XNYS,SAP'))
    expect(other.rows).toEqual([
      { instrumentId: 3, date: '2026-01-30', close: '5', currency: 'USD', ...ONLY_CLOSE },
    ])
  })

  it('may name a market that the exchange of the list can mean', async () => {
    const { rows, rejections } = await read(
      ...['XNYS', 'ARCX', 'XNAS'].map((mic, at) => `LIST,${mic},2026-01-2${at},9,USD`),
    )
    expect(rows.map(({ instrumentId, date }) => [instrumentId, date])).toEqual([
      [4, '2026-01-20'],
      [4, '2026-01-21'],
    ])
    expect(rejections).toEqual(['line 4: stock or ETF "LIST" does not exist on "XNAS"; it is on NYSE'])
  })

  it.each([
    ['NVDA,XNAS,2026-01-30,-1,USD', 'close "-1" must be above zero'],
    ['NVDA,XNAS,2026-01-30,0,USD', 'close "0" must be above zero'],
    ['NVDA,XNAS,2026-01-30,NaN,USD', 'close "NaN" must be a decimal above zero'],
    ['NVDA,XNAS,2026-01-30,1e400,USD', 'close "1e400" must be a decimal above zero'],
    ['NVDA,XNAS,2026-01-30,,USD', 'close "" must be a decimal above zero'],
    ['NVDA,XNAS,2026-01-30,1.123456789,USD', 'with at most 8 decimals'],
    ['NVDA,XNAS,2026-02-30,1,USD', 'date "2026-02-30" must be a day'],
    ['NVDA,XNAS,2026-11-21,1,USD', 'date 2026-11-21 is in the future'],
    ['NVDA,XNAS,2026-01-30,1,usd', 'currency "usd" must be a code'],
    ['NVDA,XLON,2026-01-30,1,USD', 'stock or ETF "NVDA" does not exist on "XLON"; it is on XNAS'],
    ['NVDA,X,2026-01-30,1,USD', 'stock or ETF "NVDA" does not exist on "X"; it is on XNAS'],
    ['SAP,,2026-01-30,1,USD', 'SAP needs a mic: it is on XETR, XNYS'],
    ['=1+1,,2026-01-30,1,USD', 'stock or ETF "=1+1" does not exist'],
    ['NVDA,XNAS,2026-01-30,1', 'the line has 4 cells, but the header has 5'],
  ])('rejects the line %s with the reason', async (row, reason) => {
    const { rows, rejections } = await read(row, 'NVDA,XNAS,2026-01-28,1,USD')
    expect(rows).toHaveLength(1)
    expect(rejections).toEqual([
      expect.stringContaining(`line 2: ${reason.startsWith('with') ? '' : reason}`),
    ])
    expect(rejections[0]).toContain(reason)
  })

  it('accepts a day once; a different price for it is rejected, and the first one undone', async () => {
    const row = 'NVDA,XNAS,2026-01-30,191.13,USD'
    expect(await read(row, row, 'NVDA,XNAS,2026-01-30,192,USD')).toEqual({
      rows: [expect.anything()],
      rejections: ['line 4: 2026-01-30 appears twice with different figures; neither row is used'],
    })
  })

  it('is refused with other columns, or as an HTML page', async () => {
    const refusal = (text: string) =>
      readStream(feed, text).catch((error: Error) => `${error instanceof BrokenBody} ${error.message}`)
    expect(await refusal('ticker,mic,day,close,currency\n')).toMatch(
      /^true the header has the unknown column "day"/,
    )
    expect(await refusal('ticker,mic,date,close\n')).toBe('true the header lacks currency')
    expect(await refusal('<html>')).toMatch(/HTML/)
  })
})
