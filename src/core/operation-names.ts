/** Arguments for the call of an operation. */
export type NamedArguments = Readonly<Record<string, string | number>>

/** The name of an operation (a root field of the schema) in one interface. */
export type NameOperation = (operation: string, given?: NamedArguments) => string

/** A text for the caller. A text that names operations is a function, because names depend on the caller's interface. */
export type PublicText = string | ((name: NameOperation) => string)

interface Route {
  readonly method: string
  /** With the names of its parameters in braces. */
  readonly path: string
}

const ROUTES = new Map<string, Route>()

/** Registers the route of an operation, for errors in REST. */
export function registerRoute(operation: string, route: Route): void {
  ROUTES.set(operation, route)
}

/** The path template of an operation that GET reads below /v1; null for others. */
export function findDataPath(operation: string): string | null {
  const route = ROUTES.get(operation)
  return route?.method === 'GET' && route.path.startsWith('/v1/') ? route.path : null
}

/** The text for one interface. */
export function textFor(text: PublicText, name: NameOperation): string {
  return typeof text === 'string' ? text : text(name)
}

/** For GraphQL: the field discover(ticker: "BTC"). */
export const nameField: NameOperation = (operation, given = {}) => {
  const pairs = Object.entries(given).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `the field ${operation}${pairs.length === 0 ? '' : `(${pairs.join(', ')})`}`
}

/** For an agent: the tool discover with ticker "BTC". */
export const nameTool: NameOperation = (operation, given = {}) => {
  const pairs = Object.entries(given).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return `the tool ${operation}${pairs.length === 0 ? '' : ` with ${pairs.join(', ')}`}`
}

/** For agents that call every operation by the tool `run`: the operation discover with arguments {"ticker":"BTC"}. */
export const nameInRun: NameOperation = (operation, given = {}) =>
  `the operation ${operation}${Object.keys(given).length === 0 ? '' : ` with arguments ${JSON.stringify(given)}`}`

/** Where API keys come from. Agents have no tool that creates one. */
export function keySource(name: NameOperation): string {
  return name === nameTool || name === nameInRun
    ? 'Ask your user to create a key on the page /account of this gateway; the client sends it in the header X-API-Key.'
    : `Create a key on the page /account, or with ${name('register')} and ${name('create_api_key')}, and send it in the header X-API-Key.`
}

/** For REST: GET /v1/discover/BTC. An operation without a route has its name in GraphQL. */
export const nameRoute: NameOperation = (operation, given = {}) => {
  const route = ROUTES.get(operation)
  if (route === undefined) return nameField(operation, given)
  const inQuery = new Map(Object.entries(given))
  const path = route.path.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = inQuery.get(name)
    inQuery.delete(name)
    return value === undefined ? place : encoded(value)
  })
  const pairs = Array.from(inQuery, ([name, value]) => `${name}=${encoded(value)}`)
  return `${route.method} ${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`
}

/** Replaces half a character at a cut, which an address cannot contain. */
function encoded(value: string | number): string {
  return encodeURIComponent(String(value).replace(/\p{Surrogate}/gu, '\ufffd'))
}
