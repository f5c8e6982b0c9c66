import type { Lei } from '../../core/identifiers.js'
import { removeSource } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type RowColumn,
  type SeriesTable,
  SOURCE_COLUMN,
  sumOfCounts,
  type WrittenRows,
} from '../../platform/bi-temporal/series-table.js'
import { seriesUndoer, type Undone } from '../../platform/bi-temporal/undo-rows.js'
import type { Wholeness } from '../../platform/bi-temporal/wholeness.js'
import { seriesWithdrawer } from '../../platform/bi-temporal/withdraw-rows.js'
import { followSeen, type SeenKeys } from '../../platform/bi-temporal/withdraw-unseen.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import type { KeptEntries, LegalNameRow, ListBody, ListingRow, ScreeningRow, SubjectRow } from './model.js'

type SubjectKey = Pick<SubjectRow, 'section' | 'subjectId'> & { readonly body: Pick<ListBody, 'list'> }
type ListingKey = Pick<ListingRow, 'listingId'> & { readonly body: Pick<ListBody, 'list'> }

const SUBJECT_KEYS = {
  name: 'sanctions_subject',
  key: [
    { name: 'list', type: 'text', of: ({ body }: SubjectKey) => body.list },
    { name: 'section', type: 'text', of: ({ section }: SubjectKey) => section },
    { name: 'subject_id', type: 'text', of: ({ subjectId }: SubjectKey) => subjectId },
  ],
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<SubjectKey>

const SUBJECTS: SeriesTable<SubjectRow> = {
  ...SUBJECT_KEYS,
  values: [
    textsColumn('leis', ({ leis }) => leis),
    { name: 'name', type: 'text', of: ({ name }) => name },
    { name: 'is_listed', type: 'bool', sentAs: 'bool', of: ({ isListed }) => isListed },
    textsColumn('lists', ({ lists }) => lists),
    textsColumn('programs', ({ programs }) => programs),
    { name: 'listed_on', type: 'date', of: ({ listedOn }) => listedOn },
    textsColumn('referents', ({ referents }) => referents),
  ],
}

const LISTING_KEYS = {
  name: 'sanctions_listing',
  key: [
    { name: 'list', type: 'text', of: ({ body }: ListingKey) => body.list },
    { name: 'listing_id', type: 'text', of: ({ listingId }: ListingKey) => listingId },
  ],
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<ListingKey>

const LISTINGS: SeriesTable<ListingRow> = {
  ...LISTING_KEYS,
  values: [
    { name: 'subject_id', type: 'text', of: ({ subjectId }) => subjectId },
    textsColumn('programs', ({ programs }) => programs),
    textsColumn('lists', ({ lists }) => lists),
    { name: 'listed_on', type: 'date', of: ({ listedOn }) => listedOn },
    { name: 'ended_on', type: 'date', of: ({ endedOn }) => endedOn },
  ],
}

/** A list of texts goes as the text of a PostgreSQL array: `unnest` would take the lists of a batch apart. */
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

/** Takes back what a run has written of the subjects and designations of these rows; see `seriesUndoer`. */
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
  key: [{ name: 'lei', type: 'text', of: ({ lei }) => lei }],
  values: [{ name: 'legal_name', type: 'text', of: ({ legalName }) => legalName }],
  notes: [SOURCE_COLUMN],
}

/** Adds and revises legal names; see `seriesWriter`. */
export const writeLegalNames = seriesWriter(LEGAL_NAMES)

/** Takes back the names that a run has written of these LEIs; see `seriesUndoer`. */
export const undoLegalNames = seriesUndoer(LEGAL_NAMES)

// Plain SQL: LEIs come from lists inside rows, and Prisma's client cannot take them apart.
const UNNAMED = statement(
  { lei: column<Lei>('text') },
  `select distinct known.lei from sanctions_subject as s cross join unnest(s.leis) as known(lei)
   where s.known_to is null and s.source <> $1
     and not exists (select 1 from legal_entity as e where e.lei = known.lei and e.known_to is null)
   order by known.lei limit $2`,
)

/** LEIs that lists know, of all sources but one, and that have no legal name yet; the first of them. */
export async function loadUnnamedLeis(sql: Sql, but: string, limit: number): Promise<readonly Lei[]> {
  return (await sql.rows(UNNAMED, [but, limit])).map(({ lei }) => lei)
}

/** Removes all rows of a source, closed ones too, and says how many they were. */
export function removeScreening({ prisma }: Transaction, source: string): Promise<number> {
  return removeSource([prisma.sanctionsSubject, prisma.sanctionsListing, prisma.legalEntity], source)
}

/** Of the entries known: a list that the operator calls whole lacks no more of them. */
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
   * Adds, revises and withdraws subjects and designations; of two rows of one id the last counts, the others as unchanged. A
   * row that says that an id is gone is a revision where it was known. A subject that another one names as its former id is
   * withdrawn: the two were merged (`alsoChanged`).
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
    const alsoChanged = await withdrawSubjects(this.#tx, mergedInto(subjects), known)
    await this.#note(subjects, listings)
    const unchanged = rows.length - last.length + gone.length - withdrawn
    return {
      ...sumOfCounts(ofSubjects, ofListings, { added: 0, revised: withdrawn, unchanged }),
      alsoChanged,
    }
  }

  /**
   * Withdraws what whole sections no longer name, where nothing of them can be missing: the body has its end marks or the
   * stated size, or the operator says that it is whole and it names nearly all that is known. Otherwise all entries stay.
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

  /** Why the bodies may lack a part; null: they are proven whole. */
  async #doubtOf(missingShare: number, { isSaid, isProven }: Wholeness): Promise<string | null> {
    const bodies = [...this.#bodies]
    if (bodies.some(({ isComplete }) => !isComplete)) return 'rows of the list could not be read'
    const whole = bodies.filter(({ isWhole }) => isWhole)
    if (whole.every((body) => body.isProven === true) || (await isProven())) return null
    if (!isSaid) return 'nothing proves that the list is whole; if it is, run it again with --whole'
    return missingShare <= MAX_MISSING_SHARE ? null : '--whole is believed of a list that lacks at most 2 %'
  }

  async #note(subjects: readonly SubjectRow[], listings: readonly ListingRow[]): Promise<void> {
    const wholeSubjects = subjects.filter(({ body }) => body.isWhole)
    if (wholeSubjects.length > 0) {
      this.#seenSubjects ??= await followSeen(this.#tx, SUBJECTS, ['list', 'section'])
      await this.#seenSubjects.note(wholeSubjects)
    }
    const wholeListings = listings.filter(({ body }) => body.isWhole)
    if (wholeListings.length > 0) {
      this.#seenListings ??= await followSeen(this.#tx, LISTINGS, ['list'])
      await this.#seenListings.note(wholeListings)
    }
  }
}

/** The former ids of subjects, but for those that are subjects of their own still. */
function mergedInto(subjects: readonly SubjectRow[]): readonly SubjectKey[] {
  const written = new Set(subjects.map(({ subjectId }) => subjectId))
  return subjects.flatMap(({ body, section, referents }) =>
    referents.filter((id) => !written.has(id)).map((subjectId) => ({ body, section, subjectId })),
  )
}

/** What a row is about: an id is that of a subject or of a designation, never of both. */
function rowText(row: ScreeningRow): string {
  return `${row.kind === 'subject' ? row.section : ''}\n${idOf(row)}`
}

function idOf(row: ScreeningRow): string {
  if (row.kind === 'subject') return row.subjectId
  return row.kind === 'listing' ? row.listingId : row.id
}
