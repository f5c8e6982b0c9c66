/** Path and query of a call. */
export interface RouteAddress {
  readonly path: string
  /** With its question mark; empty without parameters. */
  readonly search: string
}

/** Fills the parameters of a path template; the other arguments become the query. A list becomes repeated parameters, null is left out. */
export function toRouteAddress(template: string, args: Readonly<Record<string, unknown>>): RouteAddress {
  const inPath = new Set<string>()
  const path = template.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    inPath.add(name)
    return encodeURIComponent(textOf(args[name]))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(args)) {
    if (inPath.has(name) || value === null) continue
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, textOf(one))
  }
  return { path, search: search.size === 0 ? '' : `?${search}` }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
