import { isObject } from '../../../core/is-object.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'
import { leiIdentifiers } from '../../../domains/screening/identifiers-model.js'
import {
  distinctTexts,
  findLeiCodes,
  joinLeiCodes,
  type LeiCodes,
  type ListBody,
  parseLeiCodes,
  type ScreeningRow,
  unstoredText,
} from '../../../domains/screening/model.js'
import { quoted } from '../../feed.js'
import { isSanctionsList } from './sanctions-lists.js'

/** The topic of an entity that is itself sanctioned; sanction.linked and sanction.counter are about others. */
const SANCTIONED = 'sanction'

/** Properties with the identifiers and names of an entity. Others may name other entities. */
const IDENTIFIERS = /(?:Number|Code|[nN]ame|[aA]lias)$|^uniqueEntityId$/

/** Ids of entities and addresses of pages, which are made of LEIs. */
const REFERENCE = /^https?:|^[a-z]+-[\w-]+$/

/** Longer than any real id. */
const MAX_ID = 255

/** The members of a FollowTheMoney entity that are used. */
export interface Entity {
  readonly id: string
  readonly schema: string
  readonly caption: string | null
  readonly datasets: readonly string[]
  readonly referents: readonly string[]
  /** Null if it is not stated or lies in the future. */
  readonly lastSeen: Date | null
  readonly properties: Readonly<Record<string, unknown>>
}

/** Parses an entity, or returns why the object is rejected. */
export function readEntity(value: unknown, now: Date): Entity | { readonly reason: string } {
  if (!isObject(value)) return { reason: 'has no entity' }
  const { id, schema, caption, properties = {} } = value
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID) return { reason: 'has no id of an entity' }
  if (typeof schema !== 'string') return { reason: `the entity ${quoted(id)} has no schema` }
  if (!isObject(properties)) return { reason: `the entity ${quoted(id)} has no properties` }
  return {
    id,
    schema,
    caption: typeof caption === 'string' && caption !== '' ? caption : null,
    datasets: textsOf(value.datasets),
    referents: textsOf(value.referents),
    lastSeen: instantOf(value.last_seen, now),
    properties,
  }
}

export interface EntityRows {
  readonly rows: readonly ScreeningRow[]
  /** Why parts of the entity are left out. */
  readonly refused: readonly string[]
}

/** The rows for an entity: a subject with its LEIs, a designation, or nothing. */
export function rowsOfEntity(entity: Entity, body: ListBody): EntityRows {
  if (entity.schema === 'Sanction') return designationOf(entity, body)
  const { leis, refused } = readLeis(entity)
  if (leis.length === 0) return { rows: [], refused }
  const lists = entity.datasets.filter(isSanctionsList)
  const isSanctioned = textsOf(entity.properties.topics).includes(SANCTIONED)
  const isListed = isSanctioned && lists.length > 0
  const unlisted = isSanctioned && !isListed ? [withoutList(entity)] : []
  const subject: ScreeningRow = {
    kind: 'subject',
    body,
    section: '',
    subjectId: entity.id,
    identifiers: leiIdentifiers(leis),
    name: entity.caption,
    isListed,
    lists: isListed ? distinctTexts(lists) : [],
    programs: distinctTexts(textsOf(entity.properties.programId)),
    listedOn: null,
    referents: distinctTexts(entity.referents),
    observedAt: entity.lastSeen,
  }
  return { rows: [subject], refused: [...refused, ...unlisted] }
}

/** The LEIs among the identifiers and names of an entity, and why others are not stored. */
function readLeis({ properties }: Entity): LeiCodes {
  const others = Object.keys(properties).filter((name) => name !== 'leiCode')
  const codesIn = (names: readonly string[]) =>
    findLeiCodes(names.flatMap((name) => textsOf(properties[name]).filter((text) => !REFERENCE.test(text))))
  const own = codesIn(others.filter((name) => IDENTIFIERS.test(name)))
  const { leis, refused } = joinLeiCodes(parseLeiCodes(textsOf(properties.leiCode)), own)
  const elsewhere = codesIn(others.filter((name) => !IDENTIFIERS.test(name)))
  const unstored = elsewhere.leis.filter((lei) => !leis.includes(lei))
  const reasons =
    unstored.length === 0 ? [] : [unstoredText(unstored, 'a text, which may mean another entity')]
  return { leis, refused: [...refused, ...reasons] }
}

function withoutList({ id, datasets }: Entity): string {
  const names = datasets.join(', ') || 'none'
  return `the entity ${quoted(id)} has the topic sanction, but none of its datasets is a known sanctions list: ${names}`
}

/** A designation by a sanctions list; entries of other datasets, such as disqualifications, do not count. */
function designationOf({ id, properties, datasets, lastSeen }: Entity, body: ListBody): EntityRows {
  const lists = datasets.filter(isSanctionsList)
  if (lists.length === 0) return { rows: [], refused: [] }
  const [subjectId] = textsOf(properties.entity)
  if (subjectId === undefined) return { rows: [], refused: [`the sanction ${quoted(id)} names no entity`] }
  const listing: ScreeningRow = {
    kind: 'listing',
    body,
    listingId: id,
    subjectId,
    programs: distinctTexts(textsOf(properties.programId)),
    lists: distinctTexts(lists),
    listedOn: lastDayOf([...textsOf(properties.listingDate), ...textsOf(properties.startDate)]),
    endedOn: lastDayOf(textsOf(properties.endDate)),
    observedAt: lastSeen,
  }
  return { rows: [listing], refused: [] }
}

/** The latest of the dates; a year or month alone does not count. */
function lastDayOf(dates: readonly string[]): IsoDate | null {
  return (
    dates
      .flatMap((text) => parseIsoDate(text.slice(0, 10)) ?? [])
      .sort()
      .at(-1) ?? null
  )
}

function instantOf(value: unknown, now: Date): Date | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.test(value)) return null
  const instant = new Date(`${value.slice(0, 19)}Z`)
  return Number.isNaN(instant.getTime()) || instant > now ? null : instant
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string' && item !== '') : []
}
