/** How often the processes on a database, commands included, may together begin requests to a provider. */
export interface RequestRate {
  /** Requests with the same provider take turns. */
  readonly provider: string
  /** Least time between two requests, milliseconds. */
  readonly pauseMs: number
  /** Requests that may begin without a pause if there was none for as long as their pauses take together; none by default. */
  readonly burst?: number
  /** A request that would wait longer is not sent; by default it waits for as long as the queue is. */
  readonly maxWaitMs?: number
  /**
   * How long the provider blocks an address that sends requests too fast, milliseconds. It then answers 403, 429 or an HTML
   * page. Absent if the provider is not known to block addresses.
   */
  readonly blockMs?: number
}
