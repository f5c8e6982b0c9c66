/** Where GraphQL is served. */
export const GRAPHQL_PATH = '/graphql'

/** Path prefixes of the REST door. */
export const REST_PREFIXES = ['/v1', '/auth'] as const

/** True for paths behind authentication and limits. */
export function isGuarded(pathname: string): boolean {
  return pathname === GRAPHQL_PATH || isRest(pathname)
}

/** True for paths that the REST door answers, known or not. */
export function isRest(pathname: string): boolean {
  return REST_PREFIXES.some((prefix) => pathname === prefix || pathname.startsWith(`${prefix}/`))
}
