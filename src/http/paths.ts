/** Where GraphQL is served. */
export const GRAPHQL_PATH = '/graphql'

/** Path prefixes of REST. */
export const REST_PREFIXES = ['/v1', '/auth'] as const

/** True for paths that REST answers, known or not. */
export function isRest(path: string): boolean {
  return REST_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
}
