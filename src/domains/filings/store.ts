import type { DecimalText } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'
import { addDays } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { arraysOf, column, statement } from '../../platform/database/statement.js'
import { isCurrentPreferredPrice } from '../instruments/preferred-price-model.js'
import { MAX_COUNT_AGE_DAYS, type MarketCapInputs } from './market-cap-model.js'
import { ANNUAL_DAYS, ANNUAL_FORMS, FORMS_OF_ORDINARY_SHARES, type StatedFact } from './model.js'
import { COMPARED_COUNTS } from './share-counts-model.js'

/** Selects annual reports of a filer. */
export interface ReportsKey {
  readonly assetId: number
  readonly cik: string
  /** Only filings up to this day. Null selects all. */
  readonly filedBy: IsoDate | null
  /** Only fiscal years that end before this day. Null selects all. */
  readonly before: IsoDate | null
  /** Maximum number of reports. The newest come first. */
  readonly limit: number
}

/** The report of a period: the latest filing for the period, and facts from the latest filing that states each. */
export interface PeriodReport {
  readonly periodEnd: IsoDate
  readonly accession: string
  readonly form: string
  readonly filed: IsoDate
  /** One fact per tag and unit. */
  readonly facts: readonly StatedFact[]
  /** Shares outstanding on the newest cover pages that were filed before, the newest last. */
  readonly shareCountsBefore: readonly DecimalText[]
}

export const SHARE_COUNT_TAG = 'dei:EntityCommonStockSharesOutstanding'

/** SQL: whether a fact is the number of shares outstanding on a cover page. */
export const SHARE_COUNT = `f.taxonomy = 'dei' and f.tag = 'EntityCommonStockSharesOutstanding' and f.unit = 'shares'`

const ANNUAL = `f.period_days between ${ANNUAL_DAYS.min} and ${ANNUAL_DAYS.max}`
/**
 * SQL: `requested.cik` and the CIKs that `requested.asset_id` had before, as an array. What the former registrant filed stays
 * there, and its successor files from then on.
 */
export const filerCiks = `
     select array_agg(company.cik) as ciks from (
       select requested.cik
       union
       select former.value from instrument_identifier as former
       where former.asset_id = requested.asset_id and former.scheme = 'cik' and former.valid_to is not null
         and former.known_to is null
     ) as company`

/** SQL: whether a fact is current and was filed by `requested.filed_by`. */
export const FILED =
  'f.known_to is null and not f.is_withdrawn and (requested.filed_by is null or f.filed <= requested.filed_by)'
export const FACT =
  'f.taxonomy, f.tag, f.unit, f.value, f.period_end, f.period_days, f.accession, f.form, f.filed'

/** A year of 52 or 53 weeks may end some days before or after the month end that the balance sheet names. */
export const MAX_DAYS_APART = 7

/**
 * SQL: the newest reports of `filer.ciks` by the last day of their period, with their filings, the latest first. A filing is the
 * report of its latest period of those days, unless it states a later day: its fiscal year is then short, as after a fresh start
 * or a change of the fiscal year, and the whole year is only the comparison year.
 */
export const newestReports = (days: string, forms: string) => `
     select one.period_end, array_agg(one.accession order by one.filed desc, one.accession desc) as accessions,
       array_agg(one.form order by one.filed desc, one.accession desc) as forms,
       array_agg(one.filed order by one.filed desc, one.accession desc) as filed_days
     from (
       select f.accession, f.form, f.filed, max(f.period_end) as period_end from filed_fact as f
       where f.cik = any(filer.ciks) and ${days} and ${FILED} and f.form = any(${forms}::text[])
       group by f.accession, f.form, f.filed
     ) as one
     where (requested.before is null or one.period_end < requested.before) and not exists (
       select 1 from filed_fact as later
       where later.cik = any(filer.ciks) and later.period_end > one.period_end + ${MAX_DAYS_APART}
         and later.period_end <= one.filed and later.known_to is null and not later.is_withdrawn
         and later.accession = one.accession and (later.period_days > 0 or later.tag = 'Assets')
     )
     group by one.period_end order by one.period_end desc limit requested.report_limit`

/** SQL: shares outstanding on the newest cover pages of `filer.ciks` that were filed before a day, as the array `counts`. */
export const countsBefore = (day: string) => `
     select array_agg(trim_scale(s.value)::text order by s.period_end) as counts from (
       select distinct on (f.period_end) f.period_end, f.value from filed_fact as f
       where f.cik = any(filer.ciks) and ${SHARE_COUNT} and ${FILED} and f.filed < ${day}
       order by f.period_end desc, f.filed desc, f.accession desc limit ${COMPARED_COUNTS}
     ) as s`

/** The columns of a fact in a result, beside what it belongs to. */
export const STATED_FACT = {
  taxonomy: 'text',
  tag: 'text',
  unit: 'text',
  value: column<DecimalText>('text'),
  periodEnd: 'date',
  periodDays: 'int4',
  accession: 'text',
  form: 'text',
  filed: 'date',
} as const

/** SQL of `STATED_FACT` for rows `f` of `FACT`. */
export const SELECT_FACT = `f.taxonomy, f.tag, f.unit, trim_scale(f.value)::text as value,
     f.period_end as "periodEnd", f.period_days as "periodDays", f.accession, f.form, f.filed`

// Figures of the year come from the latest filing that states them, figures of the cover page from the report itself.
const REPORTS = statement(
  'lacks newest per key',
  {
    number: 'int8',
    yearEnd: 'date',
    report: 'text',
    reportForm: 'text',
    reportFiled: 'date',
    ...STATED_FACT,
    shareCountsBefore: column<readonly DecimalText[]>('_text'),
  },
  `select requested.number, r.period_end as "yearEnd", r.accessions[1] as report, r.forms[1] as "reportForm",
     r.filed_days[1] as "reportFiled", ${SELECT_FACT},
     coalesce(shares.counts, '{}') as "shareCountsBefore"
   from unnest($1::text[], $2::date[], $3::date[], $4::int[], $6::int[]) with ordinality
     as requested(cik, filed_by, before, report_limit, asset_id, number)
   cross join lateral (${filerCiks}
   ) as filer
   cross join lateral (${newestReports(ANNUAL, '$5')}
   ) as r
   cross join lateral (
     (select distinct on (f.taxonomy, f.tag, f.unit) ${FACT} from filed_fact as f
      where f.cik = any(filer.ciks) and f.period_end = r.period_end and (f.period_days = 0 or ${ANNUAL}) and ${FILED}
        and f.taxonomy <> 'dei'
      order by f.taxonomy, f.tag, f.unit, f.filed desc, f.accession desc, f.period_days desc)
     union all
     (select distinct on (f.tag, f.unit) ${FACT} from filed_fact as f
      where f.cik = any(filer.ciks) and f.taxonomy = 'dei' and f.accession = any(r.accessions) and ${FILED}
      order by f.tag, f.unit, f.filed desc, f.accession desc, f.period_end desc)
   ) as f
   cross join lateral (${countsBefore('r.filed_days[1]')}
   ) as shares
   order by requested.number, r.period_end desc`,
)

/** The annual reports of each key, the newest first, in the order of the list, in one statement. */
export async function loadReports(
  sql: Sql,
  keys: readonly ReportsKey[],
): Promise<readonly (readonly PeriodReport[])[]> {
  const rows = await sql.rows(REPORTS, [
    ...arraysOf(keys, 'cik', 'filedBy', 'before', 'limit'),
    ANNUAL_FORMS,
    keys.map(({ assetId }) => assetId),
  ])
  const reports: (PeriodReport & { readonly facts: StatedFact[] })[][] = keys.map(() => [])
  for (const row of rows) {
    const { number, yearEnd, report, reportForm, reportFiled, periodDays, shareCountsBefore, ...stated } = row
    const ofKey = reports[number - 1]
    if (ofKey === undefined) continue
    if (ofKey.at(-1)?.periodEnd !== yearEnd) {
      const facts = { accession: report, form: reportForm, filed: reportFiled, facts: [] }
      ofKey.push({ periodEnd: yearEnd, ...facts, shareCountsBefore })
    }
    const periodStart = periodDays === 0 ? null : addDays(stated.periodEnd, 1 - periodDays)
    ofKey.at(-1)?.facts.push({ ...stated, periodStart })
  }
  return reports
}

/** Prices of a listing and share counts of its company. */
export interface MarketCapKey {
  readonly assetId: number
  readonly ticker: string
  readonly mic: string | null
  readonly cik: string
  /** First and last day of the prices. */
  readonly first: IsoDate
  readonly last: IsoDate
  /** Only filings up to this day. Null selects all. */
  readonly filedBy: IsoDate | null
}

/** Days before the first price in which share counts are read: those that are used, and those that they are compared with. */
const COMPARED_DAYS = 3 * MAX_COUNT_AGE_DAYS

/** SQL: the share counts on the cover pages of `filer.ciks` around a time, as arrays `dates` and `counts`, null without any. */
export const shareCounts = (known: string, excludedForms: string, first: string, last: string) => `
     select array_agg(s.period_end order by s.period_end) as dates,
       array_agg(trim_scale(s.value)::text order by s.period_end) as counts
     from (
       select distinct on (f.period_end) f.period_end, f.value from filed_fact as f
       where f.cik = any(filer.ciks) and ${SHARE_COUNT} and ${known} and not f.form = any(${excludedForms}::text[])
         and f.period_end between ${first} - ${COMPARED_DAYS} and ${last} + ${MAX_COUNT_AGE_DAYS}
       order by f.period_end, f.filed desc, f.accession desc
     ) as s`

// The last price of each month and the share counts, including those of cover pages before and after the prices.
const MARKET_CAPS = statement(
  'lacks newest per key',
  {
    number: 'int8',
    dates: '_date',
    closes: column<readonly DecimalText[]>('_text'),
    currencies: '_text',
    countDates: '_date',
    counts: column<readonly DecimalText[]>('_text'),
  },
  `select requested.number, coalesce(p.dates, '{}') as dates, coalesce(p.closes, '{}') as closes,
     coalesce(p.currencies, '{}') as currencies, coalesce(c.dates, '{}') as "countDates",
     coalesce(c.counts, '{}') as counts
   from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::date[], $6::date[], $7::date[]) with ordinality
     as requested(asset_id, ticker, mic, cik, first, last, filed_by, number)
   cross join lateral (
     select array_agg(m.date order by m.date) as dates, array_agg(trim_scale(m.close)::text order by m.date) as closes,
       array_agg(m.currency::text order by m.date) as currencies
     from (
       select distinct on (to_char(d.date, 'YYYY-MM')) d.date, d.close, d.currency
       from instrument as i join daily_price as d on d.instrument_id = i.instrument_id
       where i.asset_id = requested.asset_id and i.ticker = requested.ticker and i.mic is not distinct from requested.mic
         and d.date between requested.first and requested.last and ${isCurrentPreferredPrice('d')}
       order by to_char(d.date, 'YYYY-MM'), d.date desc
     ) as m
   ) as p
   cross join lateral (${filerCiks}
   ) as filer
   cross join lateral (${shareCounts(FILED, '$8', 'requested.first', 'requested.last')}
   ) as c`,
)

/** The inputs of each average market capitalisation, in the order of the list, in one statement. */
export async function loadMarketCaps(
  sql: Sql,
  keys: readonly MarketCapKey[],
): Promise<readonly MarketCapInputs[]> {
  const rows = await sql.rows(MARKET_CAPS, [
    ...arraysOf(keys, 'assetId', 'ticker', 'mic', 'cik', 'first', 'last', 'filedBy'),
    FORMS_OF_ORDINARY_SHARES,
  ])
  const found: MarketCapInputs[] = keys.map(() => ({ closes: [], shareCounts: [] }))
  for (const { number, dates, closes, currencies, countDates, counts } of rows) {
    found[number - 1] = {
      closes: dates.map((date, at) => ({
        date,
        close: closes[at] as DecimalText, // safe: all arrays have the same length
        currency: currencies[at] ?? '',
      })),
      shareCounts: countDates.map((date, at) => ({ date, count: counts[at] as DecimalText })), // as above
    }
  }
  return found
}
