import { parseRetryAfter } from '../../core/retry-after.js'
import { UpstreamError } from './upstream-error.js'

/** How a provider that blocks this address answers, apart from a page. */
const BLOCK_STATUS: ReadonlySet<number> = new Set([403, 429])

const PAGE = /^[\s\ufeff]*<(!doctype html|html)/i

/** An HTML page names its type in the first bytes, after blanks at most. */
const PAGE_PREFIX_BYTES = 400

/** Looks whether an answer of a provider that blocks addresses for `blockMs` is such a block. */
export function watchForBlock(response: Response, shown: string, blockMs: number) {
  const { status, headers } = response
  const chunks: Uint8Array[] = []
  let bytes = 0
  const blocked = (answer: string) => {
    const retryAfterMs = Math.max(blockMs, parseRetryAfter(headers.get('retry-after'), new Date()) ?? 0)
    const minutes = Math.round(retryAfterMs / 60_000)
    const message = `${shown} answered with ${answer}: the provider blocks this address for ${minutes} minutes`
    return new UpstreamError('blocked', message, { status, retryAfterMs })
  }
  return {
    /** Null if the status is that of no block. */
    byStatus: () => (BLOCK_STATUS.has(status) ? blocked(`status ${status}`) : null),
    add: (chunk: Uint8Array) => {
      if (bytes < PAGE_PREFIX_BYTES) chunks.push(chunk.subarray(0, PAGE_PREFIX_BYTES - bytes))
      bytes += chunk.length
    },
    /** Call it after the whole body. Null if the body is no page. */
    byBody: () =>
      status === 200 && PAGE.test(new TextDecoder().decode(Buffer.concat(chunks))) ? blocked('a page') : null,
  }
}
