import { vi } from 'vitest'

/** What takes milliseconds takes seconds on a machine that runs three other tests. */
const EVENTUALLY_MS = 15_000

/** Checks again and again until the check holds, and gives what it gives; fails with the check's own words. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: EVENTUALLY_MS })
}
