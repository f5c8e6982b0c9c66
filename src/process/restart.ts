/** A worker that ends sooner than this after it began to listen has died quickly. */
const QUICK_MS = 10_000

/** Quick deaths of one worker in a row after which trying on is pointless: its start or its first requests kill it. */
export const MAX_QUICK_DEATHS = 5

/** Wait after the first quick death; each further one doubles it, so that a broken start does not eat the machine. */
const FIRST_WAIT_MS = 250

export interface Restart {
  /** Quick deaths in a row, this one included. */
  readonly quickDeaths: number
  readonly waitMs: number
}

/**
 * What follows the unexpected end of a worker that listened for `livedMs` (null: it never did) after `quickDeaths`
 * quick deaths in a row; null when it is not to be replaced any more.
 */
export function restartAfter(quickDeaths: number, livedMs: number | null): Restart | null {
  if (livedMs !== null && livedMs >= QUICK_MS) return { quickDeaths: 0, waitMs: 0 }
  if (quickDeaths + 1 >= MAX_QUICK_DEATHS) return null
  return { quickDeaths: quickDeaths + 1, waitMs: FIRST_WAIT_MS * 2 ** quickDeaths }
}
