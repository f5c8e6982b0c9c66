/** A value as an index whose base is 100, to two decimals. */
export function toIndex(value: number, base: number): number {
  return Math.round((10_000 * value) / base) / 100
}
