import { describe, expect, it } from 'vitest'
import {
  estimatedHeight,
  ISSUANCE_RULES,
  issuedBy,
} from '../../../../src/ingest/providers/reference/issuance-rules.js'
import { supplyByRule } from '../../../../src/ingest/providers/reference/supply-by-rule.js'

const rule = (slug: string) =>
  ISSUANCE_RULES.find((known) => known.slug === slug) ?? expect.fail(`no rule ${slug}`)

describe('units issued by rule', () => {
  // The published supplies at the halvings, and the published caps.
  it.each([
    ['bitcoin', 0, '0'],
    ['bitcoin', 1, '50'],
    ['bitcoin', 210_000, '10500000'],
    ['bitcoin', 420_000, '15750000'],
    ['bitcoin', 630_000, '18375000'],
    ['bitcoin', 840_000, '19687500'],
    ['bitcoin', 6_930_000, '20999999.9769'],
    ['bitcoin', 10_000_000, '20999999.9769'],
    ['bitcoin-cash', 840_000, '19687500'],
    ['litecoin', 840_000, '42000000'],
    ['litecoin', 1_680_000, '63000000'],
    ['litecoin', 2_520_000, '73500000'],
    ['litecoin', 27_720_000, '83999999.9076'],
  ])('%s: %d blocks give %s', (slug, blocks, supply) => {
    expect(issuedBy(rule(slug), blocks)).toBe(supply)
  })

  it('add the subsidy of the era for each block', () => {
    expect(issuedBy(rule('bitcoin'), 840_001)).toBe('19687503.125')
    expect(issuedBy(rule('litecoin'), 2_519_999)).toBe('73499987.5')
  })

  // Blocks seen by others: Litecoin's tip on 2026-05-23, Bitcoin's block 840,000 and the start of its era before.
  it.each([
    ['litecoin', '2026-05-23T12:00:00Z', 3_112_566],
    ['bitcoin', '2024-04-20T00:09:27Z', 840_000],
    ['bitcoin', '2020-05-11T19:23:43Z', 630_000],
    ['bitcoin-cash', '2024-04-04T00:00:00Z', 840_000],
  ])('%s is estimated at %s within a percent of its height then', (slug, at, height) => {
    const estimate = estimatedHeight(rule(slug), new Date(at))
    expect(Math.abs(estimate - height) / height).toBeLessThan(0.01)
    const [estimated, known] = [estimate, height].map((blocks) => Number(issuedBy(rule(slug), blocks)))
    expect(Math.abs((estimated ?? 0) / (known ?? 1) - 1)).toBeLessThan(0.0025)
  })
})

describe('supply-rule', () => {
  const now = new Date('2026-11-22T10:41:00Z')
  const read = (body: Uint8Array) => [
    ...supplyByRule.parse(body, { now, onRead: () => {}, onAbsent: () => {} }),
  ]
  const bundled = (at: Date) => supplyByRule.bundled?.(at) ?? expect.fail('it has a body')

  it('gives the units of three coins at the hour, with the method', () => {
    const height =
      840_000 + Math.floor((Date.UTC(2026, 10, 22, 10) - Date.UTC(2024, 3, 20, 0, 9, 27)) / 600_000)
    expect(read(bundled(now))).toMatchObject([
      {
        kind: 'row',
        row: {
          assetId: 1,
          supply: String(19_687_500 + 3.125 * (height + 1 - 840_000)),
          observedAt: new Date('2026-11-22T10:00:00Z'),
          methodology: `Sum of the block subsidies (50 at first, halved every 210000 blocks) to height ${height}, which is estimated: 600 seconds a block since block 840000 of 2024-04-20T00:09:27.000Z. Lost units and subsidies that nobody claimed count as existing.`,
        },
      },
      { kind: 'row', row: { assetId: 16 } },
      { kind: 'row', row: { assetId: 17 } },
    ])
  })

  it('has one body per hour', () => {
    expect(bundled(now)).toEqual(bundled(new Date('2026-11-22T10:00:00Z')))
    expect(bundled(now)).not.toEqual(bundled(new Date('2026-11-22T11:00:00Z')))
  })

  it('rejects a coin without a rule, and refuses what is not a list of coins', () => {
    const body = (text: string) => new TextEncoder().encode(text)
    expect(read(body('{"at":"2026-11-22T10:00:00.000Z","slugs":["ravencoin"]}'))).toEqual([
      { kind: 'rejected', position: 'ravencoin', reason: 'the asset has no issuance rule' },
    ])
    for (const wrong of [
      '',
      '[]',
      '{"at":"now","slugs":["bitcoin"]}',
      '{"at":"2026-11-22T10:00:00Z","slugs":[]}',
    ]) {
      expect(() => read(body(wrong))).toThrow('the body is not a list of coins at an instant')
    }
  })
})
