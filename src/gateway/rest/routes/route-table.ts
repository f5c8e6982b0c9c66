import { ApiError, notFound } from '../../../core/errors.js'
import { findNearestPath } from '../../nearest-path.js'

/** Method and path template of a route. Braces contain parameter names: /v1/assets/{id}. */
interface RouteKey {
  readonly method: string
  readonly path: string
}

/** A route and the decoded values of its path parameters. */
export interface RouteMatch<R> {
  readonly route: R
  readonly pathValues: readonly (readonly [name: string, text: string])[]
}

/** A parameter of a path template: {id}, or {id}.csv with the suffix .csv. */
interface PathParameter {
  readonly name: string
  readonly suffix: string
  readonly index: number
}

interface Leaf<R> {
  readonly route: R
  readonly parameters: readonly PathParameter[]
}

interface Node<R> {
  readonly statics: Map<string, Node<R>>
  /** Child nodes by the parameter's suffix, the longest first. */
  parameters: readonly (readonly [suffix: string, node: Node<R>])[]
  readonly leaves: Map<string, Leaf<R>>
}

/** No route is longer. Errors shorten longer paths. */
const MAX_SHOWN_PATH = 100

/** Number of cached matches per method; the cache is cleared when it is full. Longer paths are not cached. */
const MAX_KNOWN_PATHS = 1_000
const MAX_KNOWN_LENGTH = 100

/**
 * A tree of routes by segment. A static segment takes precedence over a parameter. A parameter never matches an empty
 * segment. The constructor throws for two routes with the same method and shape.
 */
export class RouteTable<R extends RouteKey> {
  readonly #root: Node<R> = emptyNode()
  readonly #templates: readonly string[]
  /** Cached matches by method and path. */
  readonly #known = new Map<string, Map<string, RouteMatch<R>>>()

  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route)
    this.#templates = [...new Set(routes.map((route) => route.path))]
  }

  /** Path templates of all routes. */
  paths(): readonly string[] {
    return this.#templates
  }

  /** Throws 400 for malformed percent-encoding, 404 with a similar route, or 405 with the allowed methods. */
  match(method: string, pathname: string): RouteMatch<R> {
    const known = this.#known.get(method)?.get(pathname)
    if (known !== undefined) return known
    if (pathname.length > MAX_KNOWN_LENGTH) return this.#find(method, pathname)
    const path = copyOf(pathname)
    const match = this.#find(method, path)
    this.#remember(method, path, match)
    return match
  }

  #find(method: string, pathname: string): RouteMatch<R> {
    const segments = splitPath(pathname)
    const leaf = find(this.#root, segments, 0, method === 'HEAD' ? 'GET' : method)
    if (leaf) return { route: leaf.route, pathValues: valuesOf(leaf, segments) }
    const allow = methodsAt(this.#root, segments, 0)
    if (allow.size > 0) throw notAllowed(method, pathname, [...allow])
    throw notFound(this.#missing(pathname, segments))
  }

  #remember(method: string, pathname: string, match: RouteMatch<R>): void {
    const known = this.#known.get(method) ?? new Map<string, RouteMatch<R>>()
    this.#known.set(method, known)
    if (known.size >= MAX_KNOWN_PATHS) known.clear()
    known.set(pathname, match)
  }

  #add(route: R): void {
    const segments = route.path.slice(1).split('/')
    const parameters: PathParameter[] = []
    let node = this.#root
    segments.forEach((segment, index) => {
      const parameter = parameterOf(segment)
      if (parameter !== null) parameters.push({ ...parameter, index })
      node = parameter === null ? childOf(node, segment) : parameterChildOf(node, parameter.suffix)
    })
    if (node.leaves.has(route.method))
      throw new Error(`Two routes have the method and path ${route.method} ${route.path}.`)
    node.leaves.set(route.method, { route, parameters })
  }

  #missing(pathname: string, segments: readonly string[]): string {
    const path = shown(pathname)
    if (segments.length > 1 && segments.at(-1) === '') {
      const bare = segments.slice(0, -1)
      if (methodsAt(this.#root, bare, 0).size > 0) {
        return `No such route: ${path}. Remove the trailing slash: ${path.slice(0, -1)}.`
      }
    }
    const near = findNearestPath(pathname, this.#templates)
    return near === null
      ? `No such route: ${path}. All routes are listed in /openapi.json.`
      : `No such route: ${path}. Did you mean ${near}?`
  }
}

/** The name inside the braces of a path segment; null for a static segment. */
export function parameterName(segment: string): string | null {
  return parameterOf(segment)?.name ?? null
}

function parameterOf(segment: string): Pick<PathParameter, 'name' | 'suffix'> | null {
  const end = segment.indexOf('}')
  if (!segment.startsWith('{') || end < 0) return null
  return { name: segment.slice(1, end), suffix: segment.slice(end + 1) }
}

function emptyNode<R>(): Node<R> {
  return { statics: new Map(), parameters: [], leaves: new Map() }
}

function childOf<R>(node: Node<R>, segment: string): Node<R> {
  const child = node.statics.get(segment) ?? emptyNode<R>()
  node.statics.set(segment, child)
  return child
}

function parameterChildOf<R>(node: Node<R>, suffix: string): Node<R> {
  const known = node.parameters.find(([its]) => its === suffix)
  if (known) return known[1]
  const child = emptyNode<R>()
  node.parameters = [...node.parameters, [suffix, child] as const].sort(([a], [b]) => b.length - a.length)
  return child
}

/** Whether a segment consists of a non-empty parameter value and the suffix. */
function takes(suffix: string, segment: string): boolean {
  return segment.length > suffix.length && segment.endsWith(suffix)
}

/** Copies a text, because a substring keeps the whole request target, including the query string, in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

function splitPath(pathname: string): readonly string[] {
  const segments = pathname.slice(1).split('/')
  if (!pathname.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch (cause) {
    throw new ApiError('bad_request', {
      message: 'The path has malformed percent-encoding; write a literal % as %25.',
      cause,
    })
  }
}

function find<R>(
  node: Node<R>,
  segments: readonly string[],
  index: number,
  method: string,
): Leaf<R> | undefined {
  const segment = segments[index]
  if (segment === undefined) return node.leaves.get(method)
  const child = node.statics.get(segment)
  const leaf = child && find(child, segments, index + 1, method)
  if (leaf) return leaf
  for (const [suffix, next] of node.parameters) {
    const below = takes(suffix, segment) && find(next, segments, index + 1, method)
    if (below) return below
  }
  return undefined
}

function methodsAt<R>(node: Node<R>, segments: readonly string[], index: number): ReadonlySet<string> {
  const segment = segments[index]
  if (segment === undefined) return new Set(node.leaves.keys())
  const child = node.statics.get(segment)
  const parameters = node.parameters.filter(([suffix]) => takes(suffix, segment)).map(([, below]) => below)
  const nodes = [...(child ? [child] : []), ...parameters]
  return new Set(nodes.flatMap((below) => [...methodsAt(below, segments, index + 1)]))
}

function valuesOf<R>(leaf: Leaf<R>, segments: readonly string[]): RouteMatch<R>['pathValues'] {
  return leaf.parameters.map(({ name, suffix, index }) => {
    const segment = segments[index] ?? ''
    return [name, segment.slice(0, segment.length - suffix.length)] as const
  })
}

function notAllowed(method: string, pathname: string, methods: readonly string[]): ApiError {
  const allow = methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
  return new ApiError('method_not_allowed', {
    message: `${method} is not allowed on ${shown(pathname)}; allowed: ${allow.join(', ')}.`,
    allow,
  })
}

function shown(pathname: string): string {
  return pathname.length > MAX_SHOWN_PATH ? `${pathname.slice(0, MAX_SHOWN_PATH)}…` : pathname
}
