import { createHash } from 'node:crypto'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { PreparedOperation, RunResult } from '../../../platform/request/transport.js'
import { isOfAccounts } from '../../paths.js'
import { isReadMethod } from '../read-method.js'

const HASH_LENGTH = 22

/**
 * The ETag of a response that depends on more than datasets, such as the keys of an account: a hash of its body. It is
 * known only after the run. Null if the response gets no ETag.
 */
export function bodyTag(
  { isBodyTagged }: PreparedOperation,
  result: RunResult,
  { method }: Exchange,
): string | null {
  const text = result.tagText ?? result.json
  if (isBodyTagged !== true || !result.isComplete || text === null || !isReadMethod(method)) return null
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH)}"`
}

/** Headers of a response with such an ETag. Clients must revalidate it before each use. */
export function bodyTagHeaders(tag: string, { path }: Exchange): readonly string[] {
  // Responses about accounts are `no-store`, which `finish` sets.
  return ['etag', tag, ...(isOfAccounts(path) ? [] : ['cache-control', 'private, no-cache'])]
}

/** Whether `If-None-Match` names the tag (weak comparison). */
export function namesTag(exchange: Pick<Exchange, 'header'>, tag: string): boolean {
  const given = exchange.header('if-none-match')?.split(',') ?? []
  return given.some((one) => one.trim().replace(/^(?!W\/)/, 'W/') === tag)
}
