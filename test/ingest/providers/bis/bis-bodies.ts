import { expect } from 'vitest'
import type { MacroObservation } from '../../../../src/domains/macro/model.js'
import type { Parsed } from '../../../../src/ingest/feed.js'
import { parseBis } from '../../../../src/ingest/providers/bis/bis-csv.js'

const NOW = new Date('2026-11-20T12:00:00Z')

async function* chunksOf(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

/** What is read from a body that arrives in small chunks. */
export async function readBis(
  body: string | Uint8Array,
  { isWhole = false, chunk = 1_000 } = {},
): Promise<readonly Parsed<MacroObservation>[]> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const parsed: Parsed<MacroObservation>[] = []
  const rows = parseBis(chunksOf(bytes, chunk), isWhole, {
    now: NOW,
    onRead: () => undefined,
    onAbsent: () => undefined,
  })
  for await (const item of rows) parsed.push(item)
  return parsed
}

/** `WS_TC Q.US.P 2024-01-01 5 %_GDP` of each row; fails for a rejection. */
export async function rowsOf(body: string | Uint8Array): Promise<readonly string[]> {
  return (await readBis(body)).map((item) => {
    if (item.kind === 'rejected') return expect.fail(`${item.position}: ${item.reason}`)
    const { series, periodStart, value } = item.row
    return [series.dataset, series.seriesKey, periodStart, value, series.unit].join(' ')
  })
}

/** `line 3: reason` of each rejection. */
export async function rejectionsOf(body: string | Uint8Array): Promise<readonly string[]> {
  return (await readBis(body)).flatMap((item) =>
    item.kind === 'rejected' ? [`${item.position}: ${item.reason}`] : [],
  )
}

/** A body of the given lines. */
export function lines(...texts: readonly string[]): string {
  return `${texts.join('\n')}\n`
}
