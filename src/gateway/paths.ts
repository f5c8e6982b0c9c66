/** Path of the GraphQL endpoint. */
export const GRAPHQL_PATH = '/graphql'

/** Path prefix of market data. */
export const DATA_PREFIX = '/v1'

/** Path prefix of the interfaces of other services. */
export const COMPAT_PREFIX = '/compat'

/** Path prefix of accounts and keys. */
const ACCOUNT_PREFIX = '/auth'

/** Path of the list of operations; each operation is served below it. */
export const OPERATIONS_PATH = `${DATA_PREFIX}/operations`

/** Where monitors read how fresh the datasets are. Browsers see a page of the portal there. */
export const STATUS_PATH = '/status'

/** Path of the same answer among the other routes. */
export const DATASETS_PATH = `${DATA_PREFIX}/datasets`

export const REST_PREFIXES = [DATA_PREFIX, ACCOUNT_PREFIX] as const

/** Whether the path belongs to REST, even if no route has it. */
export function isRest(path: string): boolean {
  return path === STATUS_PATH || REST_PREFIXES.some((prefix) => isBelow(path, prefix))
}

/** Whether the path belongs to accounts and keys, whose responses must never be stored. */
export function isOfAccounts(path: string): boolean {
  return isBelow(path, ACCOUNT_PREFIX)
}

/** The route of the files of a release. It has no root field, because GraphQL cannot return bytes. */
export const RELEASE_FILE_PATH = '/v1/releases/{dataset}/{release_id}/files/{name}'

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}

/** The compatible interface that a path belongs to, even if none has this name; null for other paths. */
export function findCompatName(path: string): string | null {
  return isBelow(path, COMPAT_PREFIX) ? (path.split('/')[2] ?? null) : null
}
