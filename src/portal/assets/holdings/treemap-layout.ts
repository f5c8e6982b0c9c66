/** A rectangle in the units of the area. */
export interface Tile {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * One tile per weight, in the same order, which together fill the area. The weights must be positive and descending. The
 * tiles are nearly square: the algorithm is that of Bruls, Huizing and van Wijk, "Squarified Treemaps" (2000).
 */
export function layOutTiles(weights: readonly number[], width: number, height: number): readonly Tile[] {
  const scale = (width * height) / weights.reduce((sum, weight) => sum + weight, 0)
  const tiles: Tile[] = []
  let free: Tile = { x: 0, y: 0, width, height }
  let row: number[] = []
  for (const weight of weights) {
    const longer = [...row, weight * scale]
    const side = Math.min(free.width, free.height)
    if (row.length > 0 && worstRatio(longer, side) > worstRatio(row, side)) {
      free = placeRow(row, free, tiles)
      row = [weight * scale]
    } else row = longer
  }
  placeRow(row, free, tiles)
  return tiles
}

/** The largest ratio of sides of the tiles of a row along a side of the free area. */
function worstRatio(areas: readonly number[], side: number): number {
  const thickness = sumOf(areas) / side
  return Math.max(
    ...areas.map((area) => {
      const length = area / thickness
      return Math.max(length / thickness, thickness / length)
    }),
  )
}

/** Adds the tiles of a row along the shorter side of the free area, and returns the area that stays free. */
function placeRow(areas: readonly number[], free: Tile, tiles: Tile[]): Tile {
  const isColumn = free.width >= free.height
  const thickness = sumOf(areas) / (isColumn ? free.height : free.width)
  let { x, y } = free
  for (const area of areas) {
    const length = area / thickness
    tiles.push({ x, y, width: isColumn ? thickness : length, height: isColumn ? length : thickness })
    if (isColumn) y += length
    else x += length
  }
  return isColumn
    ? { ...free, x: free.x + thickness, width: free.width - thickness }
    : { ...free, y: free.y + thickness, height: free.height - thickness }
}

function sumOf(areas: readonly number[]): number {
  return areas.reduce((sum, area) => sum + area, 0)
}
