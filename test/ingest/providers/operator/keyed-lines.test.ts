import { expect, it } from 'vitest'
import type { Read } from '../../../../src/ingest/bodies/read.js'
import { ownColumn } from '../../../../src/ingest/providers/operator/columns.js'
import { keyedLines } from '../../../../src/ingest/providers/operator/keyed-lines.js'

interface Line {
  readonly ticker: string | null
  readonly amount: string | null
}

const anyCell = (cell: string) => ({ value: cell })
const COLUMNS = {
  ticker: ownColumn('ticker', '', anyCell, true),
  amount: ownColumn('amount', '', anyCell),
}

function read(body: string) {
  const context = {
    now: new Date('2026-11-20T12:00:00Z'),
    onRead: () => undefined,
    onAbsent: () => undefined,
  }
  const items = keyedLines(Buffer.from(body), context, {
    columns: COLUMNS,
    nameColumn: 'ticker',
    read: (row): Read<Line> => ({ value: { ticker: row.cell('ticker'), amount: row.cell('amount') } }),
    keyOf: ({ ticker }) => ticker ?? '',
  })
  return items.map((item) => (item.kind === 'row' ? item.row : `${item.position}: ${item.reason}`))
}

it('accepts a repeated line once', () => {
  expect(read('ticker,amount\nA,1\nA,1\n')).toEqual([
    { ticker: 'A', amount: '1' },
    'line 3, "A": it repeats line 2',
  ])
})

it('refuses all lines of one key that contradict each other', () => {
  expect(read('ticker,amount\nA,1\nA,2\nB,1\nA,1\n')).toEqual([
    'line 2, "A": a later row of the body contradicts it',
    'line 3, "A": it repeats line 2 with different content',
    { ticker: 'B', amount: '1' },
    'line 5, "A": it repeats line 2',
  ])
})
