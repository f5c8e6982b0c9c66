import { createHash } from 'node:crypto'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { PreparedOperation, RunResult } from '../../../platform/request/transport.js'
import { isOfAccounts } from '../../paths.js'
import { isReadMethod } from '../read-method.js'

const HASH_LENGTH = 22

/**
 * The tag of an answer that depends on more than datasets, such as the keys of an account: a hash of its body, so it is known
 * only once the answer is made. Null for what is not to be tagged.
 */
export function bodyTag(
  { isBodyTagged }: PreparedOperation,
  made: RunResult,
  { method }: Exchange,
): string | null {
  const text = made.tagText ?? made.json
  if (isBodyTagged !== true || !made.isComplete || text === null || !isReadMethod(method)) return null
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH)}"`
}

/** Headers of an answer with such a tag: it is asked for again each time. */
export function bodyTagHeaders(tag: string, { path }: Exchange): readonly string[] {
  // Answers about accounts are never stored, which the end of every request says.
  return ['etag', tag, ...(isOfAccounts(path) ? [] : ['cache-control', 'private, no-cache'])]
}

/** Whether `If-None-Match` names the tag (weak comparison). */
export function namesTag(exchange: Pick<Exchange, 'header'>, tag: string): boolean {
  const given = exchange.header('if-none-match')?.split(',') ?? []
  return given.some((one) => one.trim().replace(/^(?!W\/)/, 'W/') === tag)
}
