import type { Lei } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'
import { asOfWhere } from '../../platform/bi-temporal/as-of-where.js'
import type { Sql } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { column, statement } from '../../platform/database/statement.js'
import { MAX_SUBJECTS, type ScreeningList } from './model.js'

/** The last version of a subject in a list, with its designations. */
export interface KnownSubject {
  readonly list: ScreeningList
  readonly subjectId: string
  readonly name: string | null
  readonly isListed: boolean
  readonly lists: readonly string[]
  readonly programs: readonly string[]
  readonly listedOn: IsoDate | null
  /** What the list calls the identifier, e.g. the codes of currencies. Empty if its last version lacks the identifier. */
  readonly labels: readonly string[]
  readonly referents: readonly string[]
  readonly knownFrom: Date
  /** When the list no longer named the subject. Null while it does. */
  readonly leftAt: Date | null
  readonly listings: readonly KnownListing[]
}

export interface KnownListing {
  readonly programs: readonly string[]
  readonly lists: readonly string[]
  readonly listedOn: IsoDate | null
  readonly endedOn: IsoDate | null
  /** True if the list no longer has the designation. */
  readonly isGone: boolean
}

/** Maximum of designations per entity and list. Current ones come first, then former ones, each the newest first. */
const MAX_LISTINGS = 100

/**
 * The parameter for "now": no row is known later. The statement needs no separate text for now, because it always reads
 * closed versions too: a subject that left a list is still served, with the day it left.
 */
const NOW = new Date('9999-12-31T00:00:00Z')

// One statement reads, for all identifiers, the last version of each subject, closed or not, with its designations.
// If a later version of a subject has no identifier of the kind, the subject is still sanctioned, so that version counts. If a
// later version has others of the kind, the list corrected itself, so the subject has left the list for this identifier.
const hasKind = (version: string) =>
  `exists (select from unnest(${version}.identifiers) as i(key) where split_part(i.key, ':', 1) = split_part(o.key, ':', 1))`

const SUBJECTS = statement(
  'hot 3',
  {
    number: 'int8',
    list: column<ScreeningList>('text'),
    section: 'text',
    subjectId: 'text',
    name: 'text?',
    isListed: 'bool',
    lists: '_text',
    programs: '_text',
    listedOn: 'date?',
    referents: '_text',
    knownFrom: 'timestamptz',
    labels: '_text',
    leftAt: 'timestamptz?',
    listingId: 'text?',
    listingPrograms: '_text?',
    listingLists: '_text?',
    listingOn: 'date?',
    listingEndedOn: 'date?',
    isListingGone: 'bool?',
  },
  `select s.key_number as number, s.list, s.section, s.subject_id as "subjectId", s.name, s.is_listed as "isListed", s.lists, s.programs,
     s.listed_on as "listedOn", s.referents, s.known_from as "knownFrom",
     array(select s.identifier_labels[at] from generate_subscripts(s.identifiers, 1) as at where s.identifiers[at] = s.key) as labels,
     case when s.known_to <= $2::timestamptz then s.known_to end as "leftAt",
     l.listing_id as "listingId", l.programs as "listingPrograms", l.lists as "listingLists",
     l.listed_on as "listingOn", l.ended_on as "listingEndedOn", l.known_to <= $2::timestamptz as "isListingGone"
   from (
     select o.key_number, o.key, version.*,
       row_number() over (partition by o.key_number order by o.list, o.section, o.subject_id) as number
     from (
       select distinct on (requested.key_number, t.list, t.section, t.subject_id)
         requested.key_number, requested.key, t.list, t.section, t.subject_id, t.known_from
       from sanctions_subject as t
       join unnest($1::text[]) with ordinality as requested(key, key_number) on t.identifiers @> array[requested.key]
       where t.identifiers && $1::text[] and t.known_from <= $2::timestamptz and not t.is_withdrawn
       order by requested.key_number, t.list, t.section, t.subject_id, t.known_from desc
     ) as o
     cross join lateral (
       select t.* from sanctions_subject as t
       where t.list = o.list and t.section = o.section and t.subject_id = o.subject_id
         and t.known_from between o.known_from and $2::timestamptz
         and (t.known_from = o.known_from or (not ${hasKind('t')} and not t.is_withdrawn and not exists (
           select from sanctions_subject as c
           where c.list = o.list and c.section = o.section and c.subject_id = o.subject_id
             and c.known_from > o.known_from and c.known_from < t.known_from and ${hasKind('c')})))
       order by t.known_from desc limit 1
     ) as version
   ) as s
   left join lateral (
     select * from (
       select distinct on (t.listing_id) t.* from sanctions_listing as t
       where t.list = s.list and t.subject_id = any(s.referents || s.subject_id) and t.known_from <= $2::timestamptz
         and not t.is_withdrawn
       order by t.listing_id, t.known_from desc
     ) as latest
     order by latest.known_to <= $2::timestamptz is true, latest.listed_on desc nulls last, latest.listing_id
     limit ${MAX_LISTINGS}
   ) as l on true
   where s.number <= ${MAX_SUBJECTS}
   order by s.key_number, s.list, s.section, s.subject_id, l.listing_id`,
)

/** The subjects of each identifier, by its key, in the order of the lists, in one statement. `asOf` null selects what is known now. */
export async function loadSubjects(
  sql: Sql,
  keys: readonly string[],
  asOf: Date | null,
): Promise<readonly (readonly KnownSubject[])[]> {
  const rows = await sql.rows(SUBJECTS, [keys, asOf ?? NOW])
  const found: Map<string, KnownSubject & { readonly listings: KnownListing[] }>[] = keys.map(() => new Map())
  for (const row of rows) {
    const subjects = found[row.number - 1]
    const key = [row.list, row.section, row.subjectId].join('\n')
    const subject = subjects?.get(key) ?? { ...row, listings: [] as KnownListing[] }
    subjects?.set(key, subject)
    if (row.listingId !== null) {
      subject.listings.push({
        programs: row.listingPrograms ?? [],
        lists: row.listingLists ?? [],
        listedOn: row.listingOn,
        endedOn: row.listingEndedOn,
        isGone: row.isListingGone ?? false,
      })
    }
  }
  return found.map((subjects) => [...subjects.values()])
}

/** Legal names by LEI. `asOf` null selects what is known now. */
export async function loadLegalNames(
  prisma: PrismaModels,
  leis: readonly Lei[],
  asOf: Date | null,
): Promise<ReadonlyMap<string, string>> {
  const rows = await prisma.legalEntity.findMany({ where: { lei: { in: [...leis] }, ...asOfWhere(asOf) } })
  return new Map(rows.map(({ lei, legalName }) => [lei, legalName]))
}

const FIRST_LOADS = statement(
  'lacks page per key',
  { list: column<ScreeningList>('text'), firstKnownFrom: 'timestamptz?' },
  `select known.list, (select min(s.known_from) from sanctions_subject as s where s.list = known.list) as "firstKnownFrom"
   from unnest($1::text[]) as known(list)`,
)

/** When this service first knew each of the lists. A list without rows is not in the map. */
export async function loadFirstLoads(
  sql: Sql,
  lists: readonly ScreeningList[],
): Promise<ReadonlyMap<ScreeningList, Date>> {
  const rows = await sql.rows(FIRST_LOADS, [lists])
  return new Map(
    rows.flatMap(({ list, firstKnownFrom }) => (firstKnownFrom === null ? [] : [[list, firstKnownFrom]])),
  )
}
