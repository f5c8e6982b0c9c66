import { suggest } from '../../../core/suggest.js'
import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import type { AssetClass } from '../../../domains/assets/model.js'
import { FIRST_EVENT_DAY, MAX_DAYS_AHEAD } from '../../../domains/events/model.js'
import { type Read, readOn, required } from '../../bodies/read.js'
import { quoted } from '../../feed.js'
import { readDay } from './listing-cells.js'
import type { TableRow } from './table.js'

/** The members of an asset that an event needs. */
export interface EventAsset {
  readonly assetId: number
  readonly slug: string
  readonly assetClass: AssetClass
}

export type AssetsBySlug = ReadonlyMap<string, EventAsset>

const MAX_URL_LENGTH = 2_000

/** The most assets of an event. */
const MAX_ASSETS = 50

/** A day of an event: from the first block of Bitcoin to a year ahead. */
export function readEventDay(row: TableRow, now: Date): Read<IsoDate> {
  const last = addDays(toIsoDate(now), MAX_DAYS_AHEAD)
  return readOn(required('date', readDay(row, 'date')), (day) =>
    day < FIRST_EVENT_DAY || day > last
      ? { wrong: `date ${day} must be from ${FIRST_EVENT_DAY} to ${last}` }
      : { value: day },
  )
}

/** A text as one line; null for an empty cell. */
export function readText(row: TableRow, name: string, maxLength: number): Read<string | null> {
  const cell = (row.cell(name) ?? '').replace(/\s+/g, ' ').trim()
  if (cell === '') return { value: null }
  const isText = cell.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(cell)
  return isText
    ? { value: cell }
    : { wrong: `${name} must have at most ${maxLength} characters and no control character` }
}

export function readUrl(row: TableRow): Read<string | null> {
  const cell = (row.cell('url') ?? '').trim()
  if (cell === '') return { value: null }
  const url = URL.canParse(cell) ? new URL(cell) : null
  const isAddress =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return isAddress && url.href.length <= MAX_URL_LENGTH
    ? { value: url.href }
    : {
        wrong: `url ${quoted(cell)} must be an http or https address of at most ${MAX_URL_LENGTH} characters`,
      }
}

/** Slugs of crypto assets, separated by blanks or semicolons. */
export function readEventAssetIds(row: TableRow, bySlug: AssetsBySlug): Read<readonly number[]> {
  const slugs = [...new Set((row.cell('assets') ?? '').split(/[\s;]+/).filter((slug) => slug !== ''))]
  if (slugs.length === 0) return { wrong: 'assets is missing: name at least one slug' }
  if (slugs.length > MAX_ASSETS) return { wrong: `assets must have at most ${MAX_ASSETS} slugs` }
  const faults = slugs.flatMap((slug) => faultOf(slug, bySlug) ?? [])
  if (faults.length > 0) return { wrong: faults.join('; ') }
  return { value: slugs.flatMap((slug) => bySlug.get(slug)?.assetId ?? []) }
}

function faultOf(slug: string, bySlug: AssetsBySlug): string | null {
  const asset = bySlug.get(slug)
  if (asset !== undefined) return asset.assetClass === 'crypto' ? null : `${slug} is not a crypto asset`
  const likely = suggest(slug, [...bySlug.keys()])
  return `asset ${quoted(slug)} does not exist${likely === null ? '' : `; did you mean ${likely}?`}`
}
