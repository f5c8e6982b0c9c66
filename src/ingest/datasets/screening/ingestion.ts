import { memoizeByObject } from '../../../core/memoize-by-object.js'
import type { LegalNameRow, ScreeningRow } from '../../../domains/screening/model.js'
import {
  removeScreening,
  ScreeningWriter,
  undoLegalNames,
  undoScreening,
  writeLegalNames,
} from '../../../domains/screening/store.js'
import type { Transaction } from '../../../platform/database/database.js'
import { bindFeed, SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { euFinancial } from '../../providers/eu-sanctions/financial-list-xml.js'
import { euJournal } from '../../providers/eu-sanctions/journal-csv.js'
import { gleifRecords } from '../../providers/gleif/lei-records.js'
import { ofacConsolidated } from '../../providers/ofac/consolidated-csv.js'
import { ofacSdn } from '../../providers/ofac/sdn-csv.js'
import { openSanctionsDelta, openSanctionsEntities } from '../../providers/opensanctions/entities-json.js'
import { openSanctionsSecurities } from '../../providers/opensanctions/securities-csv.js'
import { ukSanctions } from '../../providers/uk-sanctions/list-csv.js'
import { unConsolidated } from '../../providers/un-sanctions/consolidated-xml.js'
import { SEED_LISTS, SEED_NAMES } from './seed-screening.js'

const writerOf = memoizeByObject((tx: Transaction) => new ScreeningWriter(tx))

/** Writes sanctions lists. They are as new as they state, or as their last confirmation. */
export const screeningSink: Sink<ScreeningRow> = {
  write: (tx, rows, known) => writerOf(tx).write(rows, known),
  undo: undoScreening,
  finish: async (tx, known, wholeness) => {
    const { withdrawn, kept } = await writerOf(tx).withdrawUnlisted(known, wholeness)
    const position = 'end of the list'
    const reasons =
      kept === null ? [] : [`${kept.count} entries that the list lacks are kept: ${kept.reason}`]
    return { changed: withdrawn, refused: reasons.map((reason) => ({ position, reason })) }
  },
  removeSeed: (tx) => removeScreening(tx, SEED_SOURCE),
  newest: (rows, { knownAt }) => newestObservation(rows, knownAt),
}

/** Writes legal names. */
export const legalNamesSink: Sink<LegalNameRow> = {
  write: writeLegalNames,
  undo: undoLegalNames,
  removeSeed: (tx) => removeScreening(tx, SEED_SOURCE),
  newest: (rows, { knownAt }) => newestObservation(rows, knownAt),
}

function newestObservation(rows: readonly { readonly observedAt: Date | null }[], knownAt: Date): Date {
  const instants = rows.map(({ observedAt }) => (observedAt ?? knownAt).getTime())
  return new Date(instants.reduce((latest, instant) => Math.max(latest, instant), 0))
}

/** Sanctions lists, and the legal names of LEIs. */
export const screening = {
  feeds: [
    bindFeed(ofacSdn, screeningSink),
    bindFeed(ofacConsolidated, screeningSink),
    bindFeed(unConsolidated, screeningSink),
    bindFeed(ukSanctions, screeningSink),
    bindFeed(euFinancial, screeningSink),
    bindFeed(euJournal, screeningSink),
    bindFeed(openSanctionsEntities, screeningSink),
    bindFeed(openSanctionsDelta, screeningSink),
    bindFeed(openSanctionsSecurities, screeningSink),
    bindFeed(gleifRecords, legalNamesSink),
  ],
  seed: {
    // Each list is a separate part of the dataset with its own run.
    screening: [
      ...SEED_LISTS.map(({ feed, body }) => seedFeed(feed, screeningSink, body, { mends: true })),
      seedFeed(SEED_NAMES.feed, legalNamesSink, SEED_NAMES.body, { mends: true }),
    ],
  },
} satisfies Ingestion
