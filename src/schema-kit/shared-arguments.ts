import type { WholeBounds } from '../core/argument-parsers.js'
import { type DayRange, parseAsOf, parseDayRange } from '../core/day-range.js'
import { MAX_OFFSET, MAX_PAGE, OFFSET_LIMITS, SERIES_LIMITS } from '../core/page.js'
import { type ArgBuilder, hints } from './fields.js'

/** Longer than any slug there is. */
const MAX_SLUG_LENGTH = 64

const MAX_CURSOR_LENGTH = 512

const SLUG = {
  description: 'Slug of the asset: its lower-case name.',
  ...hints({ example: 'bitcoin', maxLength: MAX_SLUG_LENGTH }),
} as const

/** The slug of an asset where an answer has it. */
export const ASSET_SLUG_TEXT =
  'Slug of the asset: the argument `id` of the field `asset`, in REST the {id} of /v1/assets/{id}.'

/** Hints of a market's code (ISO 10383). */
export const MIC_HINTS = hints({ example: 'XNAS', maxLength: 4 })

/** The asset that is asked for. */
export const slugArgument = (arg: ArgBuilder) => arg.string({ ...SLUG, required: true })

/** An asset that the answer is narrowed to. */
export const slugFilterArgument = (arg: ArgBuilder, description: string) =>
  arg.string({ ...SLUG, description })

/** Rows of an answer at most. */
export const limitArgument = (arg: ArgBuilder, description: string, limits: WholeBounds) =>
  arg.int({
    defaultValue: limits.default,
    description,
    ...hints({ minimum: limits.min, maximum: limits.max }),
  })

/** The page of a list. */
export const offsetPageArguments = (arg: ArgBuilder, limits: WholeBounds = OFFSET_LIMITS) => ({
  limit: limitArgument(arg, 'Rows per page.', limits),
  offset: arg.int({
    defaultValue: 0,
    description: 'Rows to skip.',
    ...hints({ minimum: 0, maximum: MAX_OFFSET }),
  }),
})

/** The page of a series, by its number; `parseSeriesPage` reads it. */
export const seriesPageArguments = (arg: ArgBuilder, limits: WholeBounds = SERIES_LIMITS) => ({
  page: arg.int({
    defaultValue: 1,
    description: 'Page, counted from 1. Beyond the last one the answer is empty.',
    ...hints({ minimum: 1, maximum: MAX_PAGE }),
  }),
  limit: limitArgument(arg, 'Rows per page.', limits),
})

/** The page after another one. */
export const cursorArgument = (arg: ArgBuilder, description: string) =>
  arg.string({ description, ...hints({ maxLength: MAX_CURSOR_LENGTH }) })

/** What was known at an instant; `parseAsOfArgument` reads it. */
export const asOfArgument = (arg: ArgBuilder) =>
  arg({
    type: 'DateTime',
    description: 'Gives what was known at this instant, before later corrections. Not in the future.',
    ...hints({ defaultText: 'now', example: '2026-11-20T00:00:00Z' }),
  })

/** The days of a series, both included; `parseDate` reads them. */
export const dayRangeArguments = (arg: ArgBuilder, fromDefault: string) => ({
  from: arg({
    type: 'Date',
    description: 'First day.',
    ...hints({ defaultText: fromDefault, example: '2026-01-02' }),
  }),
  to: arg({
    type: 'Date',
    description: 'Last day.',
    ...hints({ defaultText: 'today (UTC)', example: '2026-01-30' }),
  }),
})

/** The days of what is given whole where none are named, both included: `from` and `to` are the descriptions. */
export const openDayArguments = (arg: ArgBuilder, from: string, to: string) => ({
  from: arg({
    type: 'Date',
    description: from,
    ...hints({ defaultText: 'the first there is', example: '2026-01-02' }),
  }),
  to: arg({
    type: 'Date',
    description: to,
    ...hints({ defaultText: 'the last there is', example: '2026-01-30' }),
  }),
})

/** The part of a history by days that an edge gives: `from` and `to` are the descriptions of these arguments. */
export const historyArguments = (
  arg: ArgBuilder,
  { from = 'First day.', to = 'Last day.', limit }: { from?: string; to?: string; limit: string },
) => ({
  ...openDayArguments(arg, from, to),
  limit: limitArgument(arg, limit, SERIES_LIMITS),
  as_of: asOfArgument(arg),
})

/** How an edge that takes `as_of` alone checks it. */
export const AS_OF_CHECKS = { check: parseAsOf }

/** How an edge with `historyArguments` checks them, and counts its rows. */
export const HISTORY_CHECKS = { check: parseDayRange, rows: ({ limit }: DayRange) => limit }
