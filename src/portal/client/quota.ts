const CHANGED = 'mdg:quota-changed'

/** The tightest quota window, as the newest response reports it. */
export interface Quota {
  readonly remaining: number
  /** When the window ends: ISO 8601. */
  readonly resetsAt: string
}

let newest: Quota | null = null

/** Null before the first response. */
export function getQuota(): Quota | null {
  return newest
}

/** Keeps the quota that the headers of a response report. */
export function noteQuota({ headers }: Pick<Response, 'headers'>): void {
  const remaining = headers.get('x-ratelimit-remaining')
  const reset = headers.get('x-ratelimit-reset')
  if (remaining === null || reset === null) return
  newest = { remaining: Number(remaining), resetsAt: new Date(Number(reset) * 1000).toISOString() }
  dispatchEvent(new Event(CHANGED))
}

/** Calls `follow` after each response with a quota, until the returned function is called. */
export function followQuota(follow: () => void): () => void {
  addEventListener(CHANGED, follow)
  return () => removeEventListener(CHANGED, follow)
}
