import { describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '../../../../src/domains/events/model.js'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { helpOf } from '../../../../src/ingest/providers/operator/columns.js'
import { EVENTS_TABLE, eventsFile } from '../../../../src/ingest/providers/operator/events-file.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const ASSETS = [
  { assetId: 1, slug: 'bitcoin', assetClass: 'crypto' },
  { assetId: 17, slug: 'litecoin', assetClass: 'crypto' },
  { assetId: 1001, slug: 'apple', assetClass: 'stock' },
] as const

async function* inPieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
}

/** Each row as it is written, each rejection as `position: reason`. */
async function read(body: string | Uint8Array) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const items: unknown[] = []
  for await (const item of eventsFile(ASSETS).parseStream(inPieces(bytes), {
    now: NOW,
    onRead: () => undefined,
    onAbsent: () => undefined,
  })) {
    items.push(item.kind === 'row' ? item.row : `${item.position}: ${item.reason}`)
  }
  return items
}

const HEADER = 'event_type,date,title,description,url,source,assets'
const FULL = {
  eventType: 'halving',
  date: '2024-04-20',
  title: 'Fourth halving, of Bitcoin',
  description: 'Two lines of text',
  url: 'https://a.example/x',
  reportedBy: 'Example Wire',
  assetIds: [1, 17],
}

describe('a file of events', () => {
  it('is read as CSV with columns in any order, optional ones missing', async () => {
    const [first, second] = await read(
      `title,assets,date,event_type,url,description,source\n` +
        `"Fourth halving, of Bitcoin",bitcoin; litecoin,2024-04-20,halving,https://a.example/x,"Two lines\nof  text",Example Wire\n` +
        `Planned,bitcoin,2027-11-20,hard_fork,,,\n`,
    )
    expect(first).toMatchObject({ kind: 'stated', row: FULL })
    expect(second).toMatchObject({
      row: { date: '2027-11-20', description: null, url: null, reportedBy: null },
    })
    expect(await read('assets,event_type,date,title\nbitcoin,airdrop,2024-01-01,A\n')).toHaveLength(1)
  })

  it('is read as JSON lines with the same result', async () => {
    const line = {
      event_type: 'halving',
      date: '2024-04-20',
      title: 'Fourth halving, of Bitcoin',
      description: 'Two lines\nof text',
      url: 'https://a.example/x',
      source: 'Example Wire',
      assets: ['bitcoin', 'litecoin'],
      withdrawn: false,
    }
    const [stated, taken, ...wrong] = await read(
      [
        line,
        { event_id: 'x', withdrawn: true },
        { ...line, title: 5 },
        { ...line, assets: [1] },
        { ...line, who: '' },
        [],
      ]
        .map((value) => `${JSON.stringify(value)}\n`)
        .join(''),
    )
    expect(stated).toMatchObject({ kind: 'stated', row: FULL })
    expect(taken).toMatchObject({ kind: 'withdrawn' })
    expect(wrong).toEqual([
      'line 3: title must be text',
      'line 4: assets must be text',
      expect.stringContaining('line 5: it has the unknown member "who"; known are event_type, date, title'),
      'line 6: it is not an object',
    ])
  })

  it('rejects lines one by one, with all their faults', async () => {
    const lines = [
      'halvening,2024-04-20,A,,,,bitcoin',
      'halving,2024-02-30,A,,,,bitcoin',
      'halving,,A,,,,bitcoin',
      'halving,2009-01-02,A,,,,bitcoin',
      'halving,2027-11-21,A,,,,bitcoin',
      'halving,2024-04-20,,,,,bitcoin',
      'halving,2024-04-20,A,,,,',
      'halving,2024-04-20,A,,,,bitcion',
      'halving,2024-04-20,A,,javascript:x,,apple',
      `halving,2024-04-20,${'x'.repeat(301)},,,,bitcoin`,
      `halving,2024-04-20,A,${'x'.repeat(2_001)},,,bitcoin`,
      'halving,2024-04-20,A,,,,bitcoin',
      'halving,2024-04-20, a,Other,,,bitcoin',
      'halving,2024-04-20,B',
    ]
    const rejected = (await read(`${HEADER}\n${lines.join('\n')}`)).filter((item) => typeof item === 'string')
    expect(rejected).toEqual([
      'line 2, "A": event_type "halvening" is unknown; did you mean halving?',
      'line 3, "A": date "2024-02-30" must be a calendar day, YYYY-MM-DD; got "2024-02-30"',
      'line 4, "A": date is missing',
      'line 5, "A": date 2009-01-02 must be from 2009-01-03 to 2027-11-20',
      'line 6, "A": date 2027-11-21 must be from 2009-01-03 to 2027-11-20',
      'line 7, "": title is missing',
      'line 8, "A": assets is missing: name at least one slug',
      'line 9, "A": asset "bitcion" does not exist; did you mean bitcoin?',
      'line 10, "A": url "javascript:x" must be an http or https address of at most 2000 characters; apple is not a crypto asset',
      `line 11, "${'x'.repeat(39)}…": title must have at most 300 characters and no control character`,
      'line 12, "A": description must have at most 2000 characters and no control character',
      'line 13, "A": a later row of the body contradicts it',
      'line 14, "a": it repeats line 13 with different content',
      'line 15: the line has 3 cells, but the header has 7',
    ])
  })

  it('withdraws an event by its id alone, or by type, day and title', async () => {
    const header = 'event_id,event_type,date,title,assets,withdrawn'
    const [byId, byFacts, missing, unclear] = await read(
      `${header}\nabc,,,,,yes\n,halving,2024-04-20,A,,yes\n,,,,,yes\nabd,,,,,maybe\n`,
    )
    const [stated] = await read(`${header}\n,halving,2024-04-20,A,bitcoin,no\n`)
    expect(byId).toMatchObject({ kind: 'withdrawn' })
    expect(byFacts).toEqual({
      kind: 'withdrawn',
      eventHk: (stated as { row: { eventHk: string } }).row.eventHk, // a row, as the test above has it
    })
    expect(missing).toContain('event_type "" is unknown')
    expect(unclear).toBe('line 5, "": withdrawn "maybe" must be yes, no or empty')
  })

  it.each([
    ['an HTML page', '<html>', BrokenCsv, 'HTML'],
    ['nothing', '', BrokenCsv, 'empty'],
    ['one JSON document', '[{"event_type":"halving"}]', BrokenCsv, 'JSON'],
    ['another encoding', Buffer.from(`${HEADER}\n\xe9`, 'latin1'), BrokenCsv, 'UTF-8'],
    ['another table', 'Date,Price\n', BrokenBody, 'unknown column'],
    ['a column that lacks', 'event_type,date,title\n', BrokenBody, 'lacks assets'],
    ['too many lines', `${HEADER}\n${'x\n'.repeat(100_001)}`, BrokenBody, 'more than 100000 lines'],
    ['too much', `${HEADER}\n${' '.repeat(16 * 2 ** 20)}`, BrokenBody, 'larger than 16 MB'],
  ])('refuses %s completely', async (_what, body, error, message) => {
    const whole = read(body)
    await expect(whole).rejects.toThrow(error)
    await expect(whole).rejects.toThrow(message)
  })

  it('has every kind of event in its help', () => {
    const help = helpOf(EVENTS_TABLE).join(' ')
    for (const { id } of EVENT_TYPES) expect(help).toContain(id)
  })
})
