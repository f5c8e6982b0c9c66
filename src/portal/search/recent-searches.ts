const STORED = 'mdg:recent-searches'
const MAX_RECENT = 5

/** A page that a search led to. */
export interface Destination {
  readonly path: string
  readonly title: string
  /** What the page is about, such as "crypto, BTC". */
  readonly note: string
}

/** Newest first. */
export function listRecentSearches(): readonly Destination[] {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '[]')
  } catch {
    // Another program wrote the entry, or the browser blocks the storage.
    return []
  }
}

export function storeRecentSearch(opened: Destination): void {
  const others = listRecentSearches().filter(({ path }) => path !== opened.path)
  try {
    localStorage.setItem(STORED, JSON.stringify([opened, ...others].slice(0, MAX_RECENT)))
  } catch {
    // The browser blocks the storage or it is full: the search works without it.
  }
}
