import type { DecimalText } from '../../../core/decimal.js'
import { addDays, type IsoDate } from '../../../core/time.js'
import type { Sql } from '../../../platform/database/database.js'
import { arraysOf, column, type RowIn, statement } from '../../../platform/database/statement.js'
import { ANNUAL_FORMS, type StatedFact } from '../model.js'
import {
  countsBefore,
  FACT,
  FILED,
  filerCiks,
  MAX_DAYS_APART,
  newestReports,
  type PeriodReport,
  type ReportsKey,
  SELECT_FACT,
  STATED_FACT,
} from '../store.js'
import { DURATION_DAYS, DURATIONS } from './durations-model.js'

/** Reports, the newest first, with every copy of the amounts that their periods are computed from. */
export interface PeriodReports {
  readonly reports: readonly PeriodReport[]
  readonly amounts: readonly StatedFact[]
}

/** Forms that report a quarter, half a year, a year or a transition period. */
const PERIOD_FORMS: readonly string[] = [
  ...ANNUAL_FORMS,
  ...['10-KT', '10-KT/A', '10-Q', '10-Q/A', '6-K', '6-K/A'],
]

/** Twelve months are computed from periods of two years; restatements of the year before show in the same years. */
const HISTORY_DAYS = 2 * DURATION_DAYS.year.max + MAX_DAYS_APART

const SPAN = `f.period_days between ${DURATION_DAYS.quarter.min} and ${DURATION_DAYS.year.max}`
const DURATION = `(${DURATIONS.map((name) => `f.period_days between ${DURATION_DAYS[name].min} and ${DURATION_DAYS[name].max}`).join(' or ')})`

const REPORTS = statement(
  'lacks newest per key',
  {
    number: 'int8',
    periodEnd: 'date',
    accessions: '_text',
    form: 'text',
    filed: 'date',
    shareCountsBefore: column<readonly DecimalText[]>('_text'),
  },
  `select requested.number, r.period_end as "periodEnd", r.accessions, r.forms[1] as form, r.filed_days[1] as filed,
     coalesce(shares.counts, '{}') as "shareCountsBefore"
   from unnest($1::text[], $2::date[], $3::date[], $4::int[], $6::int[]) with ordinality
     as requested(cik, filed_by, before, report_limit, asset_id, number)
   cross join lateral (${filerCiks}
   ) as filer
   cross join lateral (${newestReports(SPAN, '$5')}
   ) as r
   cross join lateral (${countsBefore('r.filed_days[1]')}
   ) as shares
   order by requested.number, r.period_end desc`,
)

const FACTS = statement(
  'lacks union',
  { number: 'int8', ...STATED_FACT },
  `select requested.number, ${SELECT_FACT}
   from unnest($1::text[], $2::int[], $3::date[], $4::date[], $5::date[], $6::text[], $7::text[]) with ordinality
     as requested(cik, asset_id, filed_by, oldest, newest, ends, accessions, number)
   cross join lateral (${filerCiks}
   ) as filer
   cross join lateral (
     select ${FACT} from filed_fact as f
     where f.cik = any(filer.ciks) and f.period_end between requested.oldest - ${HISTORY_DAYS} and requested.newest and ${DURATION} and ${FILED}
     union all
     (select distinct on (f.period_end, f.taxonomy, f.tag, f.unit) ${FACT} from filed_fact as f
      where f.cik = any(filer.ciks) and f.period_end = any(string_to_array(requested.ends, ',')::date[])
        and f.period_days = 0 and f.taxonomy <> 'dei' and ${FILED}
      order by f.period_end, f.taxonomy, f.tag, f.unit, f.filed desc, f.accession desc)
     union all
     select ${FACT} from filed_fact as f
     where f.cik = any(filer.ciks) and f.taxonomy = 'dei' and f.accession = any(string_to_array(requested.accessions, ',')) and ${FILED}
   ) as f
   order by requested.number, f.filed, f.accession, f.period_end`,
)

/** The reports of each key with the amounts behind their periods, in the order of the list, in two statements. */
export async function loadPeriodReports(
  sql: Sql,
  keys: readonly ReportsKey[],
): Promise<readonly PeriodReports[]> {
  const rows = await sql.rows(REPORTS, [
    ...arraysOf(keys, 'cik', 'filedBy', 'before', 'limit'),
    PERIOD_FORMS,
    keys.map(({ assetId }) => assetId),
  ])
  const found = keys.map((key) => ({
    ...key,
    rows: [] as RowIn<typeof REPORTS>[],
    facts: [] as StatedFact[],
  }))
  for (const row of rows) found[row.number - 1]?.rows.push(row)
  const reporting = found.filter((one) => one.rows.length > 0)
  for (const { number, periodDays, ...stated } of await sql.rows(FACTS, rangesOf(reporting))) {
    const periodStart = periodDays === 0 ? null : addDays(stated.periodEnd, 1 - periodDays)
    reporting[number - 1]?.facts.push({ ...stated, periodStart })
  }
  return found.map((one) => ({
    reports: one.rows.map(({ number: _, accessions, ...report }) => ({
      ...report,
      accession: accessions[0] ?? '',
      facts: latestOf(one.facts.filter((fact) => isStatedAt(fact, report.periodEnd, accessions))),
    })),
    amounts: one.facts.filter(({ periodStart }) => periodStart !== null),
  }))
}

/** The parameters of FACTS: for each company the days of its amounts, and the last days and filings of its reports. */
function rangesOf(found: readonly (ReportsKey & { readonly rows: readonly RowIn<typeof REPORTS>[] })[]) {
  const ends = found.map(({ rows }) => rows.map(({ periodEnd }) => periodEnd))
  return [
    ...arraysOf(found, 'cik', 'assetId', 'filedBy'),
    ends.map((days) => days.at(-1)),
    ends.map(([newest]) => newest),
    ends.map((days) => days.join()),
    found.map(({ rows }) => rows.flatMap(({ accessions }) => accessions).join()),
  ]
}

/** Whether a figure is one of the last day of the period or of the cover page of its report. */
function isStatedAt(
  { taxonomy, periodStart, periodEnd, accession }: StatedFact,
  end: IsoDate,
  accessions: readonly string[],
): boolean {
  if (periodStart !== null) return false
  return taxonomy === 'dei' ? accessions.includes(accession) : periodEnd === end
}

/** One fact per tag and unit, the last one. `facts` is in the order of filing. */
function latestOf(facts: readonly StatedFact[]): readonly StatedFact[] {
  return [...new Map(facts.map((fact) => [`${fact.unit} ${fact.taxonomy}:${fact.tag}`, fact])).values()]
}
