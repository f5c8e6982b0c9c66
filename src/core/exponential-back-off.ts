export interface BackOff {
  readonly firstMs: number
  readonly maxMs: number
  /** Each wait is this many times the previous one; 2 by default. */
  readonly factor?: number
}

/** Wait after the nth failure in a row, milliseconds. */
export function exponentialBackOffMs(failures: number, { firstMs, maxMs, factor = 2 }: BackOff): number {
  return Math.min(maxMs, firstMs * factor ** (failures - 1))
}
