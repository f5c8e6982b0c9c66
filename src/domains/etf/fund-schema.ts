import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { builder } from '../../schema-kit/builder.js'
import type { StoredFund, StoredReport } from './fund-store.js'
import { fundFactsOf } from './funds-model.js'

/** A decimal as a JSON number. */
export function jsonNumberOf(text: string): number {
  return toJsonNumber(new Decimal(text))
}

/** The same; null stays. */
export function jsonNumberOrNull(text: string | null): number | null {
  return text === null ? null : jsonNumberOf(text)
}

const EtfReportType = builder.objectRef<StoredReport>('EtfReport').implement({
  description: 'What is known of the newest report of the holdings of an ETF.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    as_of: t.expose('asOf', { type: 'Date', description: 'Day that the holdings are of.' }),
    source: t.exposeString('reportSource', {
      description: 'Provider of the report, e.g. sec or ishares; seed is synthetic.',
    }),
    published_at: t.expose('publishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was published or filed. Null where the source does not say.',
    }),
    accession: t.exposeString('accession', {
      nullable: true,
      description: 'Number of the filing at the SEC. Null for other sources.',
    }),
    known_from: t.expose('knownFrom', { type: 'DateTime', description: 'When it became known here.' }),
    weight_sum: t.float({
      description: 'Sum of the weights of all holdings, a fraction.',
      resolve: ({ weightSum }) => jsonNumberOf(weightSum),
    }),
    uninvested_cash: t.float({
      nullable: true,
      description:
        'Cash that is not among the holdings, a fraction of net assets. Null where the source does not state it.',
      resolve: ({ uninvestedCash }) => jsonNumberOrNull(uninvestedCash),
    }),
    is_stale: t.boolean({
      description: 'True where a later import was quarantined: this is the last good one.',
      resolve: ({ quarantineReason }) => quarantineReason !== null,
    }),
    quarantine_reason: t.exposeString('quarantineReason', {
      nullable: true,
      description: 'Why the later import was quarantined. Null where there was none.',
    }),
  }),
})

const FundRef = builder.objectRef<StoredFund>('InstrumentEtf')
const ListedFundRef = builder.objectRef<StoredFund>('InstrumentEtfList')

type FundFields = Parameters<NonNullable<Parameters<typeof FundRef.implement>[0]['fields']>>[0]

/** What both types have, in the order of both. */
function fundFields(t: FundFields) {
  return {
    ticker: t.exposeString('ticker', { description: 'Upper-case ticker on its market.' }),
    name: t.exposeString('name', { description: 'Name of the fund.' }),
    isin: t.exposeString('isin', {
      nullable: true,
      description: 'ISIN (ISO 6166). Null while it is not known.',
    }),
    mic: t.exposeString('mic', {
      nullable: true,
      description: 'Primary market (ISO 10383). Null while it is not known.',
    }),
    currency: t.exposeString('currency', {
      description: 'Trading currency (ISO 4217). nav is in the currency of the fund, which may be another.',
    }),
    issuer: t.string({
      nullable: true,
      description: 'Who offers the fund. Null while it is not known.',
      resolve: ({ slug }) => fundFactsOf(slug).issuer,
    }),
    nav: t.float({
      nullable: true,
      description:
        'Net asset value of one share, in the currency of the fund, as the issuer states it or by its own file: market values divided by shares outstanding. Null until a source gives it; net assets are never shown as NAV.',
      resolve: ({ nav }) => jsonNumberOrNull(nav?.value ?? null),
    }),
    nav_date: t.field({
      type: 'Date',
      nullable: true,
      description: 'Day that nav is of. Null without nav.',
      resolve: ({ nav }) => nav?.date ?? null,
    }),
    holdings_count: t.int({
      nullable: true,
      description: 'Holdings of the newest report. Null while there is no report.',
      resolve: ({ report }) => report?.holdingsCount ?? null,
    }),
  }
}

export const InstrumentEtfType = FundRef.implement({
  description: 'An exchange-traded fund by its primary listing, with its newest figures.',
  fields: (t) => {
    const { ticker, name, isin, mic, currency, issuer, nav, nav_date, holdings_count } = fundFields(t)
    return {
      ...{ ticker, name, isin },
      figi: t.exposeString('figi', {
        nullable: true,
        description: "Composite FIGI of the listing's country. Null while it is not known.",
      }),
      ...{ mic, currency, issuer },
      domicile: t.string({
        nullable: true,
        description: 'Country of the fund (ISO 3166-1, two letters) by its ISIN. Null without one.',
        resolve: ({ isin }) => isin?.slice(0, 2) ?? null,
      }),
      expense_ratio: t.float({
        nullable: true,
        description: 'Annual fee, a fraction. Null while it is not verified.',
        resolve: ({ slug }) => fundFactsOf(slug).expenseRatio,
      }),
      inception_date: t.field({
        type: 'Date',
        nullable: true,
        description: 'First day of the fund. Null while it is not verified.',
        resolve: ({ slug }) => fundFactsOf(slug).inceptionDate,
      }),
      net_assets_usd: t.float({
        nullable: true,
        description:
          'Net assets of the whole fund, USD, of the newest report that states them. Null while none does.',
        resolve: ({ netAssetsUsd }) => jsonNumberOrNull(netAssetsUsd),
      }),
      ...{ nav, nav_date, holdings_count },
      last_updated: t.expose('lastUpdated', {
        type: 'DateTime',
        description: 'When the source last confirmed the facts of the listing.',
      }),
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
        description: 'The report that holdings are of. Null while there is none.',
        resolve: ({ report }) => report,
      }),
    }
  },
})

export const InstrumentEtfListType = ListedFundRef.implement({
  description: 'An exchange-traded fund in a list.',
  fields: (t) => ({
    ...fundFields(t),
    etf: t.field({
      type: InstrumentEtfType,
      subGraphs: ['Graph'],
      description: 'The fund with all that is known of it.',
      resolve: (fund) => fund,
    }),
  }),
})
