const LENGTH_MS: Readonly<Record<string, number>> = { '1h': 3_600_000, '1d': 86_400_000 }
const DEFAULT_DAYS = 30

/** The requested finished windows, at most `limit`, and their number without a limit. */
export function windowsOf(query: {
  readonly timeframe: string
  readonly from?: Date | null | undefined
  readonly to?: Date | null | undefined
  readonly limit: number
}) {
  const lengthMs = LENGTH_MS[query.timeframe] ?? Number.NaN
  const until = Math.min(query.to?.getTime() ?? Number.POSITIVE_INFINITY, Date.now())
  const since = query.from?.getTime() ?? until - DEFAULT_DAYS * 86_400_000
  const start = Math.floor(since / lengthMs)
  const end = Math.floor(until / lengthMs)
  const first = Math.max(start, end - query.limit)
  return { first: new Date(first * lengthMs), end: new Date(end * lengthMs), total: end - start }
}

/** The days of a query for rates: by default today and 30 before. */
export function daysOf(query: { readonly from?: string | null; readonly to?: string | null }) {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return {
    from: query.from ?? day(Date.now() - DEFAULT_DAYS * 86_400_000),
    to: query.to ?? day(Date.now()),
  }
}
