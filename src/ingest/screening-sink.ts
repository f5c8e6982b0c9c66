import { oncePer } from '../core/once-per.js'
import type { LegalNameRow, ScreeningRow } from '../domains/screening/model.js'
import { removeScreening, ScreeningWriter, writeLegalNames } from '../domains/screening/store.js'
import type { Transaction } from '../platform/database/database.js'
import { SEED_SOURCE, type Sink } from './feed.js'

const writerOf = oncePer((tx: Transaction) => new ScreeningWriter(tx))

/** Where lists go; they are as new as they say, or as their last confirmation. */
export const screeningSink: Sink<ScreeningRow> = {
  write: (tx, rows, known) => writerOf(tx).write(rows, known),
  finish: (tx, known) => writerOf(tx).withdrawUnlisted(known),
  removeSeed: (tx) => removeScreening(tx, SEED_SOURCE),
  newest: (rows, { knownAt }) => newestObservation(rows, knownAt),
}

/** Where legal names go. */
export const legalNamesSink: Sink<LegalNameRow> = {
  write: writeLegalNames,
  removeSeed: (tx) => removeScreening(tx, SEED_SOURCE),
  newest: (rows, { knownAt }) => newestObservation(rows, knownAt),
}

function newestObservation(rows: readonly { readonly observedAt: Date | null }[], knownAt: Date): Date {
  const instants = rows.map(({ observedAt }) => (observedAt ?? knownAt).getTime())
  return new Date(instants.reduce((latest, instant) => Math.max(latest, instant), 0))
}
