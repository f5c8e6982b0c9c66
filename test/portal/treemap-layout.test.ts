import { describe, expect, it } from 'vitest'
import { layOutTiles } from '../../src/portal/assets/holdings/treemap-layout.js'

describe('the tiles of a treemap', () => {
  it('fill the area and have the shares of their weights', () => {
    const weights = [6, 6, 4, 3, 2, 2, 1]
    const tiles = layOutTiles(weights, 600, 400)
    const areas = tiles.map(({ width, height }) => width * height)
    for (const [at, area] of areas.entries())
      expect(area).toBeCloseTo(((weights[at] ?? 0) / 24) * 600 * 400, 6)
    for (const { x, y, width, height } of tiles) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(600.000001)
      expect(y + height).toBeLessThanOrEqual(400.000001)
    }
  })

  it('do not overlap', () => {
    const tiles = layOutTiles([50, 20, 10, 5, 5, 4, 3, 2, 1, 0.01], 390, 320)
    for (const [at, a] of tiles.entries())
      for (const b of tiles.slice(at + 1)) {
        const overlap = (from: number, length: number, other: number, otherLength: number) =>
          Math.min(from + length, other + otherLength) - Math.max(from, other)
        const isApart =
          overlap(a.x, a.width, b.x, b.width) < 1e-6 || overlap(a.y, a.height, b.y, b.height) < 1e-6
        expect(isApart).toBe(true)
      }
  })

  it('match the example of the paper that defines the algorithm', () => {
    const tiles = layOutTiles([6, 6, 4, 3, 2, 2, 1], 6, 4)
    const rounded = tiles.map(({ width, height }) => `${width.toFixed(2)} x ${height.toFixed(2)}`)
    expect(rounded).toEqual([
      '3.00 x 2.00',
      '3.00 x 2.00',
      '1.71 x 2.33',
      '1.29 x 2.33',
      '1.20 x 1.67',
      '1.20 x 1.67',
      '0.60 x 1.67',
    ])
  })

  it('are one tile for one weight, and none without weights', () => {
    expect(layOutTiles([0.4], 300, 200)).toEqual([{ x: 0, y: 0, width: 300, height: 200 }])
    expect(layOutTiles([], 300, 200)).toEqual([])
  })
})
