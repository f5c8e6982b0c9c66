import type { Caller } from './principal.js'

/** The header in which a page of the portal sends a random id, the same with each of its requests. */
export const PAGE_VIEW_HEADER = 'x-page-view'

const PAGE_VIEW_ID = /^[0-9a-f-]{32,36}$/

/** The id of the page view of a request. Null without one, and for callers with a key: only a signed-in reader has pages. */
export function pageViewIdOf({ kind }: Pick<Caller, 'kind'>, id: string | null): string | null {
  return kind === 'token' && id !== null && PAGE_VIEW_ID.test(id) ? id : null
}
