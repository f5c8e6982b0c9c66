/** Where GraphQL is served. */
export const GRAPHQL_PATH = '/graphql'

/** Below it is market data. */
export const DATA_PREFIX = '/v1'

/** Below it are accounts and keys. */
const ACCOUNT_PREFIX = '/auth'

/** Where the operations of the REST routes are listed; each is served below. */
export const OPERATIONS_PATH = `${DATA_PREFIX}/operations`

/** Path prefixes of REST. */
export const REST_PREFIXES = [DATA_PREFIX, ACCOUNT_PREFIX] as const

/** True for paths that REST answers, known or not. */
export function isRest(path: string): boolean {
  return REST_PREFIXES.some((prefix) => isBelow(path, prefix))
}

/** True for paths of accounts and keys: what they answer is never kept by anybody. */
export function isOfAccounts(path: string): boolean {
  return isBelow(path, ACCOUNT_PREFIX)
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}
