export interface BackOff {
  readonly firstMs: number
  readonly maxMs: number
  /** How many times as long each further wait is; 2 when left out. */
  readonly factor?: number
}

/** Wait after the nth failure in a row, milliseconds. */
export function exponentialBackOffMs(failures: number, { firstMs, maxMs, factor = 2 }: BackOff): number {
  return Math.min(maxMs, firstMs * factor ** (failures - 1))
}
