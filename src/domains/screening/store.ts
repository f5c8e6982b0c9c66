import type { Lei } from '../../core/identifiers.js'
import { LEGAL_ENTITY, SANCTIONS_LISTING, SANCTIONS_SUBJECT } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type RowColumn,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumn,
  storedColumns,
  sumOfCounts,
  type WrittenRows,
} from '../../platform/bi-temporal/series-table.js'
import { seriesUndoer, type Undone } from '../../platform/bi-temporal/undo-rows.js'
import type { Wholeness } from '../../platform/bi-temporal/withdraw/wholeness.js'
import { seriesWithdrawer } from '../../platform/bi-temporal/withdraw/withdraw-rows.js'
import { recordSeenKeys, type SeenKeys } from '../../platform/bi-temporal/withdraw/withdraw-unseen.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import { identifierKey } from './identifiers-model.js'
import type { KeptEntries, LegalNameRow, ListBody, ListingRow, ScreeningRow, SubjectRow } from './model.js'

type SubjectKey = Pick<SubjectRow, 'section' | 'subjectId'> & { readonly body: Pick<ListBody, 'list'> }
type ListingKey = Pick<ListingRow, 'listingId'> & { readonly body: Pick<ListBody, 'list'> }

const SUBJECT_KEYS = {
  name: 'sanctions_subject',
  key: [
    storedColumn(SANCTIONS_SUBJECT, 'list', ({ body }: SubjectKey) => body.list),
    ...storedColumns(SANCTIONS_SUBJECT, 'section', 'subjectId'),
  ],
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<SubjectKey>

const SUBJECTS: SeriesTable<SubjectRow> = {
  ...SUBJECT_KEYS,
  values: [
    textsColumn('identifiers', ({ identifiers }) => identifiers.map(identifierKey)),
    textsColumn('identifier_labels', ({ identifiers }) => identifiers.map(({ label }) => label)),
    ...storedColumns(SANCTIONS_SUBJECT, 'name', 'isListed'),
    textsColumn('lists', ({ lists }) => lists),
    textsColumn('programs', ({ programs }) => programs),
    ...storedColumns(SANCTIONS_SUBJECT, 'listedOn'),
    textsColumn('referents', ({ referents }) => referents),
  ],
}

const LISTING_KEYS = {
  name: 'sanctions_listing',
  key: [
    storedColumn(SANCTIONS_LISTING, 'list', ({ body }: ListingKey) => body.list),
    ...storedColumns(SANCTIONS_LISTING, 'listingId'),
  ],
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<ListingKey>

const LISTINGS: SeriesTable<ListingRow> = {
  ...LISTING_KEYS,
  values: [
    ...storedColumns(SANCTIONS_LISTING, 'subjectId'),
    textsColumn('programs', ({ programs }) => programs),
    textsColumn('lists', ({ lists }) => lists),
    ...storedColumns(SANCTIONS_LISTING, 'listedOn', 'endedOn'),
  ],
}

/** Sends a list of texts as the text of a PostgreSQL array, because `unnest` flattens nested arrays. */
function textsColumn<Row>(name: string, of: (row: Row) => readonly string[]): RowColumn<Row> {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
  return { name, type: 'text[]', of: (row) => `{${of(row).map(quoted).join()}}` }
}

const writeSubjects = seriesWriter(SUBJECTS)
const writeListings = seriesWriter(LISTINGS)
const withdrawSubjects = seriesWithdrawer(SUBJECT_KEYS)
const withdrawListings = seriesWithdrawer(LISTING_KEYS)

const undoSubjects = seriesUndoer(SUBJECT_KEYS)
const undoListings = seriesUndoer(LISTING_KEYS)

/** Undoes what a run wrote for the subjects and designations of these rows. See `seriesUndoer`. */
export async function undoScreening(
  tx: Transaction,
  rows: readonly ScreeningRow[],
  known: Known,
): Promise<Undone> {
  const keys = rows.map((row) => {
    const id = idOf(row)
    return {
      body: row.body,
      section: row.kind === 'subject' ? row.section : '',
      subjectId: id,
      listingId: id,
    }
  })
  const ofSubjects = await undoSubjects(tx, keys, known)
  const ofListings = await undoListings(tx, keys, known)
  return {
    added: ofSubjects.added + ofListings.added,
    revised: ofSubjects.revised + ofListings.revised,
  }
}

const LEGAL_NAMES: SeriesTable<LegalNameRow> = {
  name: 'legal_entity',
  key: storedColumns(LEGAL_ENTITY, 'lei'),
  values: storedColumns(LEGAL_ENTITY, 'legalName'),
  notes: [SOURCE_COLUMN],
}

/** Adds and revises legal names. See `seriesWriter`. */
export const writeLegalNames = seriesWriter(LEGAL_NAMES)

/** Undoes what a run wrote for the legal names of these LEIs. See `seriesUndoer`. */
export const undoLegalNames = seriesUndoer(LEGAL_NAMES)

const UNNAMED = statement(
  'lacks array elements',
  { lei: column<Lei>('text') },
  `select distinct known.lei from sanctions_subject as s
   cross join lateral (select substr(i.key, 6) as lei from unnest(s.identifiers) as i(key) where i.key like 'lei::%') as known
   where s.known_to is null and s.source <> $1
     and not exists (select 1 from legal_entity as e where e.lei = known.lei and e.known_to is null)
   order by known.lei limit $2`,
)

/** The first LEIs without a legal name in the lists of all sources except one. */
export async function loadUnnamedLeis(sql: Sql, but: string, limit: number): Promise<readonly Lei[]> {
  return (await sql.rows(UNNAMED, [but, limit])).map(({ lei }) => lei)
}

/** Removes all rows of a source, closed ones too, and returns their number. */
export const removeScreening = sourceRemover(({ sanctionsSubject, sanctionsListing, legalEntity }) => [
  sanctionsSubject,
  sanctionsListing,
  legalEntity,
])

/** A list that the operator declares whole may lack at most this share of the known entries. */
const MAX_MISSING_SHARE = 0.02

/** Writes the rows of one run of a list. */
export class ScreeningWriter {
  readonly #tx: Transaction
  readonly #bodies = new Set<ListBody>()
  #seenSubjects: SeenKeys<SubjectRow> | null = null
  #seenListings: SeenKeys<ListingRow> | null = null

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /**
   * Adds, revises and withdraws subjects and designations. If several rows have the same id, the last one is written and the
   * others count as unchanged. The removal of a known id counts as a revision. A subject that another one names as its former
   * id is withdrawn, because the two were merged (`alsoChanged`).
   */
  async write(rows: readonly ScreeningRow[], known: Known): Promise<WrittenRows> {
    for (const { body } of rows) this.#bodies.add(body)
    const last = [...new Map(rows.map((row) => [rowText(row), row])).values()]
    const subjects = last.filter((row) => row.kind === 'subject')
    const listings = last.filter((row) => row.kind === 'listing')
    const ofSubjects = await writeSubjects(this.#tx, subjects, known)
    const ofListings = await writeListings(this.#tx, listings, known)
    const gone = last
      .filter((row) => row.kind === 'gone')
      .map(({ body, id }) => ({ body, section: '', subjectId: id, listingId: id }))
    const withdrawn =
      (await withdrawSubjects(this.#tx, gone, known)) + (await withdrawListings(this.#tx, gone, known))
    const alsoChanged = await withdrawSubjects(this.#tx, listFormerIds(subjects), known)
    await this.#note(subjects, listings)
    const unchanged = rows.length - last.length + gone.length - withdrawn
    return {
      ...sumOfCounts(ofSubjects, ofListings, { added: 0, revised: withdrawn, unchanged }),
      alsoChanged,
    }
  }

  /**
   * Withdraws entries that whole sections no longer name, if the sections are complete: the body has its end marks or the
   * stated size, or the operator declares it whole and it names nearly all known entries. Otherwise all entries stay.
   */
  async withdrawUnlisted(
    known: Known,
    wholeness: Wholeness,
  ): Promise<{ readonly withdrawn: number; readonly kept: KeptEntries | null }> {
    const seen = [this.#seenSubjects, this.#seenListings].filter((each) => each !== null)
    let [total, missing] = [0, 0]
    for (const each of seen) {
      const compared = await each.compare()
      total += compared.known
      missing += compared.missing
    }
    if (missing === 0) return { withdrawn: 0, kept: null }
    const doubt = await this.#doubtOf(missing / total, wholeness)
    if (doubt !== null) return { withdrawn: 0, kept: { count: missing, reason: doubt } }
    let withdrawn = 0
    for (const each of seen) withdrawn += await each.withdraw(known)
    return { withdrawn, kept: null }
  }

  /** Why the bodies may be incomplete. Null if they are proven whole. */
  async #doubtOf(missingShare: number, { isSaid, isProven }: Wholeness): Promise<string | null> {
    const bodies = [...this.#bodies]
    if (bodies.some(({ isComplete }) => !isComplete)) return 'rows of the list could not be read'
    const whole = bodies.filter(({ isWhole }) => isWhole)
    if (whole.every((body) => body.isProven === true) || (await isProven())) return null
    if (!isSaid)
      return 'nothing proves that the list is complete; if it is, run the command again with --whole'
    return missingShare <= MAX_MISSING_SHARE
      ? null
      : '--whole is accepted only for a list that lacks at most 2 % of the known entries'
  }

  async #note(subjects: readonly SubjectRow[], listings: readonly ListingRow[]): Promise<void> {
    const wholeSubjects = subjects.filter(({ body }) => body.isWhole)
    if (wholeSubjects.length > 0) {
      this.#seenSubjects ??= await recordSeenKeys(this.#tx, SUBJECTS, ['list', 'section'])
      await this.#seenSubjects.note(wholeSubjects)
    }
    const wholeListings = listings.filter(({ body }) => body.isWhole)
    if (wholeListings.length > 0) {
      this.#seenListings ??= await recordSeenKeys(this.#tx, LISTINGS, ['list'])
      await this.#seenListings.note(wholeListings)
    }
  }
}

/** The former ids of subjects, except ids that were written as subjects. */
function listFormerIds(subjects: readonly SubjectRow[]): readonly SubjectKey[] {
  const written = new Set(subjects.map(({ subjectId }) => subjectId))
  return subjects.flatMap(({ body, section, referents }) =>
    referents.filter((id) => !written.has(id)).map((subjectId) => ({ body, section, subjectId })),
  )
}

/** The key of a row. An id belongs to a subject or to a designation, never to both. */
function rowText(row: ScreeningRow): string {
  return `${row.kind === 'subject' ? row.section : ''}\n${idOf(row)}`
}

function idOf(row: ScreeningRow): string {
  if (row.kind === 'subject') return row.subjectId
  return row.kind === 'listing' ? row.listingId : row.id
}
