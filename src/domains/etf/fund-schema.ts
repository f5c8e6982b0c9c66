import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { builder } from '../../schema-kit/builder.js'
import type { Types } from '../../schema-kit/fields.js'
import { day, instant, shownFields, text } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import type { StoredFund, StoredReport } from './fund-store.js'
import { fundProfileOf } from './funds-model.js'

/** A decimal as a JSON number. */
export function parseJsonNumber(text: string): number {
  return toJsonNumber(new Decimal(text))
}

/** A decimal as a JSON number. Null stays null. */
export function jsonNumberOrNull(text: string | null): number | null {
  return text === null ? null : parseJsonNumber(text)
}

/** The field `as_of`, which shows the day of a report as `report_date` does. */
export const FORMER_REPORT_DATE = {
  type: 'Date',
  description: 'The former name of `report_date`.',
  deprecationReason: 'Use report_date.',
} as const

const EtfReportType = withComputed<StoredReport, 'EtfReport'>(
  builder.prismaObject('EtfReport', {
    description: 'The newest report of the holdings of an ETF.',
    subGraphs: ['Graph'],
  }),
)

builder.objectFields(EtfReportType, (t) =>
  shownFields(t, {
    report_date: day('Date of the holdings.', 'asOf'),
    as_of: t.field({ ...FORMER_REPORT_DATE, resolve: ({ asOf }) => asOf }),
    source: text(
      'Provider of the report, e.g. sec or ishares. seed marks a synthetic report.',
      'reportSource',
    ),
    published_at: instant.orNull(
      'Time of publication or filing. Null if the source does not state it.',
      'publishedAt',
    ),
    accession: text.orNull('Accession number of the SEC filing. Null for other sources.'),
    known_from: instant('Time from which this service knew the report.', 'knownFrom'),
    weight_sum: t.float({
      description: 'Sum of the weights of all holdings, a fraction.',
      resolve: ({ weightSum }) => parseJsonNumber(weightSum),
    }),
    uninvested_cash: t.float({
      nullable: true,
      description:
        'Cash that is not listed as a holding, a fraction of net assets. Null if the source does not state it.',
      resolve: ({ uninvestedCash }) => jsonNumberOrNull(uninvestedCash),
    }),
    is_stale: t.boolean({
      description: 'True if a later report was rejected. This report is then the last accepted one.',
      resolve: ({ quarantineReason }) => quarantineReason !== null,
    }),
    quarantine_reason: text.orNull(
      'Reason for rejecting the later report. Null if no later report was rejected.',
      'quarantineReason',
    ),
  }),
)

/** The fields of both types, in their order. */
function fundFields(t: PothosSchemaTypes.ObjectFieldBuilder<Types, StoredFund>) {
  return {
    ticker: text('Upper-case ticker on its market.'),
    name: text('Name of the fund.'),
    isin: text.orNull('ISIN (ISO 6166). Null if unknown.'),
    mic: text.orNull('Primary market (ISO 10383). Null if unknown.'),
    currency: text('Trading currency (ISO 4217). nav is in the currency of the fund, which may differ.'),
    issuer: t.string({
      nullable: true,
      description: 'Company that offers the fund. Null if unknown.',
      resolve: ({ slug }) => fundProfileOf(slug).issuer,
    }),
    nav: t.float({
      nullable: true,
      description:
        "Net asset value of one share, in the currency of the fund. The issuer states it, or it is computed from the issuer's file as market values divided by shares outstanding. Null if no source gives it. Net assets are never shown as NAV.",
      resolve: ({ nav }) => jsonNumberOrNull(nav?.value ?? null),
    }),
    nav_date: t.field({
      type: 'Date',
      nullable: true,
      description: 'Date of nav. Null without nav.',
      resolve: ({ nav }) => nav?.date ?? null,
    }),
    holdings_count: t.int({
      nullable: true,
      description: 'Number of holdings in the newest report. Null without a report.',
      resolve: ({ report }) => report?.holdingsCount ?? null,
    }),
  }
}

export const InstrumentEtfType = withComputed<StoredFund, 'Instrument'>(
  builder.prismaObject('Instrument', {
    variant: 'InstrumentEtf',
    description: 'An exchange-traded fund by its primary listing, with its newest figures.',
  }),
)

builder.objectFields(InstrumentEtfType, (t) => {
  const { ticker, name, isin, mic, currency, issuer, nav, nav_date, holdings_count } = fundFields(t)
  return shownFields(t, {
    ...{ ticker, name, isin },
    figi: text.orNull("Composite FIGI of the listing's country. Null if unknown."),
    ...{ mic, currency, issuer },
    domicile: t.string({
      nullable: true,
      description:
        'Country of the fund (ISO 3166-1, two letters), taken from its ISIN. Null without an ISIN.',
      resolve: ({ isin }) => isin?.slice(0, 2) ?? null,
    }),
    expense_ratio: t.float({
      nullable: true,
      description: 'Annual fee, a fraction. Null if not verified.',
      resolve: ({ slug }) => fundProfileOf(slug).expenseRatio,
    }),
    inception_date: t.field({
      type: 'Date',
      nullable: true,
      description: 'First day of the fund. Null if not verified.',
      resolve: ({ slug }) => fundProfileOf(slug).inceptionDate,
    }),
    net_assets_usd: t.float({
      nullable: true,
      description:
        'Net assets of the whole fund, USD, from the newest report that states them. Null if no report does.',
      resolve: ({ netAssetsUsd }) => jsonNumberOrNull(netAssetsUsd),
    }),
    ...{ nav, nav_date, holdings_count },
    last_updated: instant('When the source last confirmed the data of the listing.', 'lastUpdated'),
    nav_currency: t.string({
      nullable: true,
      subGraphs: ['Graph'],
      description: 'Currency of nav (ISO 4217). Null without nav.',
      resolve: ({ nav }) => nav?.currency ?? null,
    }),
    report: t.field({
      type: EtfReportType,
      nullable: true,
      subGraphs: ['Graph'],
      description: 'The newest report of the holdings. Null without a report.',
      resolve: ({ report }) => report,
    }),
  })
})

export const InstrumentEtfListType = withComputed<StoredFund, 'Instrument'>(
  builder.prismaObject('Instrument', {
    variant: 'InstrumentEtfList',
    description: 'An exchange-traded fund in a list.',
  }),
)

builder.objectFields(InstrumentEtfListType, (t) =>
  shownFields(t, {
    ...fundFields(t),
    etf: t.field({
      type: InstrumentEtfType,
      subGraphs: ['Graph'],
      description: 'The fund with all its fields.',
      resolve: (fund) => fund,
    }),
  }),
)
