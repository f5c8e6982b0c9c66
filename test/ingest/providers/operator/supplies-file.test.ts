import { describe, expect, it } from 'vitest'
import { suppliesFile } from '../../../../src/ingest/providers/operator/supplies-file.js'
import { CRYPTO_ASSETS, STOCKS } from '../../../../src/ingest/providers/reference/assets.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const feed = suppliesFile([...CRYPTO_ASSETS, ...STOCKS])
const read = (body: string) => [
  ...feed.parse(new TextEncoder().encode(body), { now: NOW, onRead: () => {}, onAbsent: () => {} }),
]
const reasons = (body: string) =>
  read(body).map((item) => (item.kind === 'row' ? 'taken' : `${item.position}: ${item.reason}`))

describe('the operator’s table of supplies', () => {
  it('reads figures with their day and method', () => {
    const lines = [
      'slug,supply,observed_at,methodology',
      'solana,553000000.5,2026-11-20,"Explorer, by hand"',
      'xrp,60200000000,2026-11-21T12:30Z,',
      'cardano,,,',
    ]
    const own = 'As given by the operator of this gateway.'
    expect(read(`${lines.join('\n')}\n`)).toEqual(
      [
        {
          assetId: 4,
          supply: '553000000.5',
          observedAt: new Date('2026-11-20'),
          methodology: 'Explorer, by hand',
        },
        { assetId: 5, supply: '60200000000', observedAt: new Date('2026-11-21T12:30:00Z'), methodology: own },
        { assetId: 10, supply: null, observedAt: NOW, methodology: own },
      ].map((row) => ({ kind: 'row', row })),
    )
  })

  it.each([
    ['solano,1,', 'asset "solano" does not exist; did you mean solana?'],
    [',1,', 'asset "" does not exist'],
    ['apple,1,', 'apple is not a crypto asset'],
    ['solana,0,', 'supply "0" must be a decimal above zero'],
    ['solana,-1,', 'supply "-1" must be a decimal above zero'],
    ['solana,1e9,', 'supply "1e9" must be a decimal above zero'],
    ['solana,"1,000",', 'supply "1,000" must be a decimal above zero'],
    [`solana,${'9'.repeat(31)},`, 'must be a decimal above zero with at most 30 digits'],
    [`solana,0.${'0'.repeat(30)}1,`, 'must be a decimal above zero with at most 30 digits'],
    ['solana,1,2026-11-23', 'observed_at "2026-11-23" is in the future'],
    ['solana,1,20.11.2026', 'observed_at "20.11.2026" must be a day or an instant'],
    ['solana,1,2026-02-30', 'observed_at "2026-02-30" must be a day or an instant'],
    ['solana,1,2026-11-20T12:00', 'must be a day or an instant'],
  ])('rejects %s alone, with its line and the reason', (line, reason) => {
    const [first, second] = reasons(`slug,supply,observed_at\n${line}\nxrp,1,\n`)
    expect(first).toMatch(/^line 2, "/)
    expect(first).toContain(reason)
    expect(second).toBe('taken')
  })

  it('names every fault of a line, and refuses two lines that contradict each other', () => {
    expect(reasons(`slug,supply,observed_at,methodology\nsolana,x,y,${'m'.repeat(501)}\n`)).toEqual([
      'line 2, "solana": supply "x" must be a decimal above zero with at most 30 digits, without separators; observed_at "y" must be a day or an instant such as 2026-11-20T12:00Z; methodology must have at most 500 characters and no control character',
    ])
    expect(reasons('slug,supply\nsolana,1\nsolana,2\n')).toEqual([
      'line 2, "solana": a later row of the body contradicts it',
      'line 3, "solana": it repeats line 2 with different content',
    ])
  })

  it.each([
    ['slug\nsolana\n', 'the header lacks supply'],
    ['slug,suply\nsolana,1\n', 'the header has the unknown column "suply"; did you mean supply?'],
    ['<html>', 'the body is HTML or XML, not CSV'],
  ])('refuses another table: %j', (body, message) => {
    expect(() => read(body)).toThrow(message)
  })
})
