type Value = string | number | boolean

/** Values of parameters by name. Undefined values are omitted. */
export type Values = Readonly<Record<string, unknown>>

/** Fills the parameters of a path, and returns the remaining values for query or body. */
export function fillPath(template: string, values: Values): { readonly path: string; readonly rest: Values } {
  const rest: Record<string, unknown> = { ...values }
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    if (value === undefined || value === null || value === '')
      throw new TypeError(`${template} needs a value of "${name}"`)
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  return { path, rest }
}

/** The values with the day in UTC of each instant that is given where a day is needed. */
export function withDays(values: Values, names: readonly string[] = []): Values {
  return { ...values, ...Object.fromEntries(names.map((name) => [name, dayOf(values[name])])) }
}

function dayOf(value: unknown): unknown {
  const isInstant = value instanceof Date || (typeof value === 'string' && value.includes('T'))
  return isInstant ? new Date(value).toISOString().slice(0, 10) : value
}

/** Writes a query string, or ''. A list is one value with commas. */
export function queryOf(values: Values): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  const query = new URLSearchParams(given.map(([name, value]) => [name, textOf(value)]))
  return given.length === 0 ? '' : `?${query}`
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.join(',') : String(value as Value)
}

/**
 * The query of the next page in the header `Link` (RFC 8288); null on the last page. The client requests the next page at
 * the same path of the same gateway, so it uses only the query of the link.
 */
export function nextQuery(headers: Headers): string | null {
  for (const [, target = '', relation] of (headers.get('link') ?? '').matchAll(
    /<([^>]*)>\s*;\s*rel="([^"]*)"/g,
  )) {
    const start = target.indexOf('?')
    if (relation === 'next' && start >= 0) return target.slice(start)
  }
  return null
}
