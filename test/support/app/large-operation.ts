/** Names just short enough not to count as values of their own. */
const NAMES = Array.from({ length: 20 }, (_, index) => `${'n'.repeat(29)}${String(index).padStart(2, '0')}`)

/**
 * An operation over the seeded world whose answer is near the most that an operation may give: more than the sockets of
 * a client that never reads take, about 5 MB.
 */
export const LARGE_OPERATION = `{ assets(limit: 20, asset_class: crypto) {
  data { ohlcv(limit: 365, from: "2025-11-21") { candles { ${NAMES.map((name) => `${name}: ts`).join(' ')} } } } } }`

/** What its answer has at least. */
export const LARGE_BYTES = 8_000_000
