import type { Parsed, StreamFeed } from '../../../src/ingest/feed.js'

/** The instant at which bodies are read. */
export const READ_AT = new Date('2026-11-20T12:00:00Z')

/** Small pieces, so that lines and characters are cut anywhere. */
const PIECE_BYTES = 7

/** What a feed reads from a body that comes in small pieces. */
export async function readStream<Row>(
  { parseStream }: Pick<StreamFeed<Row>, 'parseStream'>,
  body: string | Uint8Array,
): Promise<{ readonly rows: readonly Row[]; readonly rejections: readonly string[] }> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const pieces = (async function* () {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
  })()
  const items: Parsed<Row>[] = []
  for await (const item of parseStream(pieces, { now: READ_AT, onRead: () => {}, onAbsent: () => {} }))
    items.push(item)
  return {
    rows: items.flatMap((item) => (item.kind === 'row' ? item.row : [])),
    rejections: items.flatMap((item) => (item.kind === 'rejected' ? `${item.position}: ${item.reason}` : [])),
  }
}

/** A body of these lines. */
export function lines(...texts: readonly string[]): string {
  return `${texts.join('\n')}\n`
}
