import type { Rejection } from '../../../ingest/run/ledger.js'
import type { DatasetCounts } from '../../../ingest/run/write-dataset.js'

export function candleCountsText(what: string, candles: DatasetCounts, durationMs: number): string {
  const { added, revised, unchanged, removedSeed } = candles
  const seed = removedSeed > 0 ? `; ${removedSeed} seed candles removed` : ''
  const seconds = (durationMs / 1000).toFixed(1)
  return `${what}: ${added} added, ${revised} revised, ${unchanged} unchanged${seed} (${seconds} s)\n`
}

export function rejectionsText(who: string, rejections: readonly Rejection[], all: number): string {
  const lines = rejections.map(({ position, reason }) => `  ${who} rejected ${position}: ${reason}\n`)
  return lines.join('') + (all > rejections.length ? `  and ${all - rejections.length} more of ${who}\n` : '')
}
