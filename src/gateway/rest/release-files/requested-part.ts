import parseRange from 'range-parser'
import type { ByteRange } from '../../../domains/releases/storage/release-store.js'
import type { Exchange } from '../../../platform/request/exchange.js'

export type RequestedPart = ByteRange

type Conditional = Pick<Exchange, 'header'>

/**
 * The part of a file that `Range` requests (RFC 9110, 14.2). Null for the whole file: without the header, for a header that
 * cannot be read, for several separate parts, and if `If-Range` names another file.
 */
export function requestedPart(
  exchange: Conditional,
  { etag, size }: { readonly etag: string; readonly size: number },
): RequestedPart | 'unsatisfiable' | null {
  const header = exchange.header('range')
  const condition = exchange.header('if-range')
  if (header === null || (condition !== null && condition !== etag)) return null
  const ranges = parseRange(size, withinSize(header, size), { combine: true })
  if (ranges === -1) return 'unsatisfiable'
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null
  const [range] = ranges
  return range === undefined ? null : { first: range.start, last: range.end }
}

/** `bytes=-500` of a file of 100 bytes is the whole file (RFC 9110, 14.1.2), which the parser would refuse. */
function withinSize(header: string, size: number): string {
  return header.replace(
    /([=,]\s*)-(\d+)/g,
    (_, before: string, length: string) => `${before}-${Math.min(Number(length), size)}`,
  )
}

/** Whether `If-None-Match` names the entity tag, or any. */
export function namesFile(exchange: Conditional, etag: string): boolean {
  const tags = exchange.header('if-none-match')?.split(',') ?? []
  return tags.some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}
