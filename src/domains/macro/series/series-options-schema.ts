import { type RoutedPublisher, shortTextOf } from '../../../core/providers.js'
import { type ArgBuilder, hints } from '../../../schema-kit/fields.js'
import { asOfArguments } from '../../../schema-kit/shared-arguments.js'

/** Whether a page has all versions of its observations. */
export const vintagesArgument = (arg: ArgBuilder) => ({
  vintages: arg.boolean({
    defaultValue: false,
    description: 'true: all versions of each observation, by period and `known_from`.',
  }),
})

/** The first and last period of a part of a series, both included. `parseSeriesQuery` checks them. */
export const periodArguments = (arg: ArgBuilder, what: string, maxLength: number) => ({
  start_period: arg.string({
    description: `First period: ${what}.`,
    ...hints({ defaultText: 'the first period', example: '2015-Q1', maxLength }),
  }),
  end_period: arg.string({
    description: `Last period, included as a whole: ${what}.`,
    ...hints({ defaultText: 'the last period that has begun', example: '2025-Q4', maxLength }),
  }),
  ...asOfArguments(arg),
})

/** The first and last day of a part of a series, both included. `parseDayQuery` checks them. */
export const dayArguments = (arg: ArgBuilder) => ({
  start_date: arg({
    type: 'Date',
    description: 'Earliest first day of a period.',
    ...hints({ defaultText: 'the first period', example: '2026-01-01' }),
  }),
  end_date: arg({
    type: 'Date',
    description: 'Latest first day of a period.',
    ...hints({ defaultText: 'the last period that has begun', example: '2026-06-30' }),
  }),
  ...asOfArguments(arg),
  ...vintagesArgument(arg),
})

/** What the endpoints of a series share. `path` names a series below the routes of its publisher. */
export const seriesOptions = (publisher: RoutedPublisher, path: string) =>
  ({
    summary: `A series of ${shortTextOf(publisher)}`,
    keywords: publisher.operationKeywords.series ?? [],
    access: 'macro:read',
    errors: ['not_found'],
    path: `${publisher.path}/${path}`,
    tag: 'macro',
    table: { rows: 'data', total: 'meta.total' },
    hasPages: true,
    reads: [publisher.id],
  }) as const
