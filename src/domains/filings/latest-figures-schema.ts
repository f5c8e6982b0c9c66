import type { Given } from '../../core/argument-parsers.js'
import { builder } from '../../schema-kit/builder.js'
import { edge } from '../../schema-kit/fields.js'
import { day, number, shownFields } from '../../schema-kit/shown-fields.js'
import type { Listing } from '../instruments/model.js'
import { InstrumentStockType } from '../instruments/schema.js'
import { FIGURE_TEXTS } from './figures/figure-texts-model.js'
import { FundamentalsPeriodType } from './fundamentals-schema.js'
import { latestPeriods } from './loaders.js'
import type { FundamentalsPeriod } from './model.js'

const NULL_TEXT = 'Null if the filings do not state it completely.'

const LatestFiguresType = builder.prismaObject('CompanyPeriod', {
  variant: 'LatestFigures',
  description: 'Revenue and net income of a company in its latest period, for lists of many stocks.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      period_end_date: day('Last day of the period.', 'periodEnd'),
      revenue_usd: number.orNull(`${FIGURE_TEXTS.revenue_usd} ${NULL_TEXT}`, 'revenueUsd'),
      net_income_usd: number.orNull(`${FIGURE_TEXTS.net_income_usd} ${NULL_TEXT}`, 'netIncomeUsd'),
    }),
})

builder.objectField(InstrumentStockType, 'latest_figures', (t) =>
  t.field({
    type: LatestFiguresType,
    nullable: true,
    description:
      'The figures of the latest period with a filed report, as `fundamentals` computes them and lists of stocks are sorted by them. Null without a report. Needs fundamentals:read; charged per 20 parents.',
    args: {
      period: t.arg({
        type: FundamentalsPeriodType,
        defaultValue: 'year',
        description: 'Kind of the period whose figures are returned.',
      }),
    },
    ...edge(
      'fundamentals:read',
      ['filings'],
      ({ cik }: Listing, period: FundamentalsPeriod, context) =>
        cik === null ? null : latestPeriods(context).load({ cik, period }),
      {
        check: ({ period }: { readonly period?: Given<FundamentalsPeriod> }) => period ?? 'year',
      },
    ),
  }),
)
