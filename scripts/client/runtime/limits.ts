/** One quota of the account. */
export interface QuotaWindow {
  /** `hour`, `month` or `day`. */
  readonly name: string
  readonly quota: number
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** The remaining quotas after a response. */
export interface Limits {
  /** Remaining units of the window with the fewest left. */
  readonly limit: number
  readonly remaining: number
  readonly resetAt: Date
  readonly windows: readonly QuotaWindow[]
}

/** Null on open routes, whose responses lack these headers. */
export function limitsOf(headers: Headers): Limits | null {
  const limit = headers.get('x-ratelimit-limit')
  if (limit === null) return null
  return {
    limit: Number(limit),
    remaining: Number(headers.get('x-ratelimit-remaining')),
    resetAt: new Date(Number(headers.get('x-ratelimit-reset')) * 1_000),
    windows: windowsOf(headers),
  }
}

function windowsOf(headers: Headers): readonly QuotaWindow[] {
  const quotas = new Map(itemsOf(headers.get('ratelimit-policy')).map(({ name, values }) => [name, values.q]))
  return itemsOf(headers.get('ratelimit')).map(({ name, values }) => {
    return { name, quota: quotas.get(name) ?? 0, remaining: values.r ?? 0, resetSeconds: values.t ?? 0 }
  })
}

/** `"hour";r=13;t=1234, "month";r=9999;t=86400` */
function itemsOf(header: string | null) {
  return (header ?? '').split(',').flatMap((item) => {
    const [name = '', ...pairs] = item.split(';').map((part) => part.trim())
    const values = Object.fromEntries(pairs.map((pair) => [pair.slice(0, 1), Number(pair.slice(2))]))
    return name === '' ? [] : [{ name: name.replaceAll('"', ''), values }]
  })
}
