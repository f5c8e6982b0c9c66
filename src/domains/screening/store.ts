import type { Lei } from '../../core/identifiers.js'
import { removeSource } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type RowColumn,
  type SeriesTable,
  SOURCE_COLUMN,
  sumOfCounts,
  type WriteCounts,
} from '../../platform/bi-temporal/series-table.js'
import { seriesWithdrawer } from '../../platform/bi-temporal/withdraw-rows.js'
import { followSeen, type SeenKeys } from '../../platform/bi-temporal/withdraw-unseen.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import type { LegalNameRow, ListBody, ListingRow, ScreeningRow, SubjectRow } from './model.js'

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

/** Adds and revises legal names; see `seriesWriter`. */
export const writeLegalNames = seriesWriter<LegalNameRow>({
  name: 'legal_entity',
  key: [{ name: 'lei', type: 'text', of: ({ lei }) => lei }],
  values: [{ name: 'legal_name', type: 'text', of: ({ legalName }) => legalName }],
  notes: [SOURCE_COLUMN],
})

// Plain SQL: LEIs come from lists inside rows, and Prisma's client cannot take them apart.
const UNNAMED = statement(
  { lei: column<Lei>('text') },
  `select distinct known.lei from sanctions_subject as s cross join unnest(s.leis) as known(lei)
   where s.known_to is null and s.source <> $1
     and not exists (select 1 from legal_entity as e where e.lei = known.lei and e.known_to is null)
   order by known.lei limit $2`,
)

/** LEIs that lists know, of all sources but one, and that have no legal name yet; the first of them. */
export async function readUnnamedLeis(sql: Sql, but: string, limit: number): Promise<readonly Lei[]> {
  return (await sql.rows(UNNAMED, [but, limit])).map(({ lei }) => lei)
}

/** Removes all rows of a source, closed ones too, and says how many they were. */
export async function removeScreening(tx: Transaction, source: string): Promise<number> {
  let removed = 0
  for (const table of ['sanctions_subject', 'sanctions_listing', 'legal_entity']) {
    removed += await removeSource(tx, table, source)
  }
  return removed
}

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
   * Adds, revises and withdraws subjects and designations; of two rows of one id the last counts. A subject that another one
   * names as its former id is withdrawn: the two were merged. What is withdrawn counts as revised.
   */
  async write(rows: readonly ScreeningRow[], known: Known): Promise<WriteCounts> {
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
      (await withdrawSubjects(this.#tx, [...gone, ...mergedInto(subjects)], known)) +
      (await withdrawListings(this.#tx, gone, known))
    await this.#note(subjects, listings)
    return sumOfCounts(ofSubjects, ofListings, { added: 0, revised: withdrawn, unchanged: 0 })
  }

  /** Withdraws what whole sections no longer name, if all bodies are complete; says how many. See `SeenKeys`. */
  async withdrawUnlisted(known: Known): Promise<number> {
    if ([...this.#bodies].some(({ isComplete }) => !isComplete)) return 0
    const subjects = (await this.#seenSubjects?.withdraw(known)) ?? 0
    return subjects + ((await this.#seenListings?.withdraw(known)) ?? 0)
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
  if (row.kind === 'subject') return `${row.section}\n${row.subjectId}`
  return `\n${row.kind === 'listing' ? row.listingId : row.id}`
}
