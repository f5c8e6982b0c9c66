import type { WholeBounds } from '../core/argument-parsers.js'
import { type DayRange, parseAsOf, parseDayRange } from '../core/day-range.js'
import { MAX_OFFSET, MAX_PAGE, OFFSET_LIMITS, SERIES_LIMITS } from '../core/page.js'
import { describedEnum } from './described-enum.js'
import { type ArgBuilder, hints } from './fields.js'
import { MAX_RELEASE_LENGTH } from './pinned-release.js'

/** No slug is longer. */
const MAX_SLUG_LENGTH = 64

const MAX_CURSOR_LENGTH = 512

const SLUG = {
  description: 'Slug of the asset: its lower-case name, e.g. `bitcoin`.',
  ...hints({ example: 'bitcoin', maxLength: MAX_SLUG_LENGTH }),
} as const

/** Describes the slug of an asset in a response. */
export const ASSET_SLUG_TEXT =
  'Slug of the asset. Pass it as `id` to the field `asset`, or to /v1/assets/{id} in REST.'

/** Hints of a market identifier code (ISO 10383). */
export const MIC_HINTS = hints({ example: 'XNAS', maxLength: 4 })

/** The slug of an asset. A path of REST requires it. */
export const slugArgument = (arg: ArgBuilder) => arg.string(SLUG)

/** An optional slug that filters the response. */
export const slugFilterArgument = (arg: ArgBuilder, description: string) =>
  arg.string({ ...SLUG, description })

/** The maximum number of rows. */
export const limitArgument = (arg: ArgBuilder, description: string, limits: WholeBounds) =>
  arg.int({
    defaultValue: limits.default,
    description,
    ...hints({ minimum: limits.min, maximum: limits.max }),
  })

/** Page of a list. */
export const offsetPageArguments = (arg: ArgBuilder, limits: WholeBounds = OFFSET_LIMITS) => ({
  limit: limitArgument(arg, 'Rows per page.', limits),
  offset: arg.int({
    defaultValue: 0,
    description: 'Rows to skip.',
    ...hints({ minimum: 0, maximum: MAX_OFFSET }),
  }),
})

/** Page of a series by number. `parseSeriesPage` parses it. */
export const seriesPageArguments = (arg: ArgBuilder, limits: WholeBounds = SERIES_LIMITS) => ({
  page: arg.int({
    defaultValue: 1,
    description: 'Page number, starting at 1. Pages after the last one are empty.',
    ...hints({ minimum: 1, maximum: MAX_PAGE }),
  }),
  limit: limitArgument(arg, 'Rows per page.', limits),
})

/** Cursor of the next page. */
export const cursorArgument = (arg: ArgBuilder, description: string) =>
  arg.string({ description, ...hints({ maxLength: MAX_CURSOR_LENGTH }) })

/** A release instead of an instant. `withRelease` replaces it by the instant, so that no field parses it. */
export const releaseArgument = (arg: ArgBuilder) =>
  arg.string({
    description:
      'Returns what this release knows: a dataset of the response and the id of its release. Excludes an instant of knowledge.',
    ...hints({ maxLength: MAX_RELEASE_LENGTH }),
  })

export const KnowledgeBasisType = describedEnum('KnowledgeBasis', 'By whose clock knowledge counts.', {
  observed: 'When this service learned a value.',
  published: 'When its publisher made it known, by `published_rule` of the dataset.',
})

/** By whose clock the instant of knowledge counts. `withRelease` refuses `published` for fields without a rule. */
export const basisArgument = (arg: ArgBuilder) =>
  arg({
    type: KnowledgeBasisType,
    description: 'By whose clock: when this service learned a value, or when it was published.',
    ...hints({ defaultText: 'observed' }),
  })

/** Point in time of the returned knowledge, as an instant with its basis or as a release. `parseAsOf` parses the instant. */
export const asOfArguments = (arg: ArgBuilder) => ({
  as_of: arg({
    type: 'DateTime',
    description:
      'Returns what was known at this instant, without later corrections. Must not be in the future.',
    ...hints({ defaultText: 'now', example: '2026-11-20T00:00:00Z' }),
  }),
  basis: basisArgument(arg),
  release: releaseArgument(arg),
})

/** The day of a report, also under its former name `as_of`. `parseReportDate` parses them. */
export const reportDateArguments = (arg: ArgBuilder, description: string, defaultText: string) => ({
  report_date: arg({
    type: 'Date',
    description,
    ...hints({ defaultText, example: '2026-11-19' }),
  }),
  as_of: arg({
    type: 'Date',
    description: 'The former name of `report_date`.',
    deprecationReason: 'Use report_date.',
  }),
})

/** First and last day of a series, both inclusive. `parseDate` parses them. */
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

/** Optional first and last day, both inclusive; the default is all days. `from` and `to` are the descriptions. */
export const openDayArguments = (arg: ArgBuilder, from: string, to: string) => ({
  from: arg({
    type: 'Date',
    description: from,
    ...hints({ defaultText: 'the first available day', example: '2026-01-02' }),
  }),
  to: arg({
    type: 'Date',
    description: to,
    ...hints({ defaultText: 'the last available day', example: '2026-01-30' }),
  }),
})

/** Range, limit and `as_of` of an edge that returns a history. `from`, `to` and `limit` are the descriptions. */
export const historyArguments = (
  arg: ArgBuilder,
  { from = 'First day.', to = 'Last day.', limit }: { from?: string; to?: string; limit: string },
) => ({
  ...openDayArguments(arg, from, to),
  limit: limitArgument(arg, limit, SERIES_LIMITS),
  ...asOfArguments(arg),
})

/** Checks of an edge whose only argument is `as_of`. */
export const AS_OF_CHECKS = { check: parseAsOf }

/** Checks and row count of an edge with `historyArguments`. */
export const HISTORY_CHECKS = { check: parseDayRange, rows: ({ limit }: DayRange) => limit }
