import type { Isin } from '../../../core/identifiers.js'
import { MAPPING_QUESTION } from '../../../generated/columns.js'
import type { Known, WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Sql, Transaction } from '../../../platform/database/database.js'
import {
  columnNames,
  jsonOfRows,
  jsonRows,
  type RowIn,
  type RowOf,
  replaced,
  statement,
} from '../../../platform/database/statement.js'
import { LIST_SOURCES } from '../model.js'
import { type MappingAnswer, type MappingQuestion, UNITED_STATES } from './mapping-questions-model.js'

/** Identifiers without a FIGI are asked for again after so many days. */
const ASK_AGAIN_DAYS = 30

/** Whether an asset is a share or an ETF that a list of the SEC has. */
export const IS_LISTED = `a.source = any($1::text[]) and a.asset_class in ('stock', 'etf') and i.inactive_since is null and i.security_type is null`

/** Notes ISINs of holdings, each of which may be that of an asset. */
export async function noteIsins({ prisma }: Transaction, isins: readonly Isin[]): Promise<void> {
  const data = isins.map((value) => ({ scheme: 'isin', value, market: UNITED_STATES }) as const)
  await prisma.mappingQuestion.createMany({ data, skipDuplicates: true })
}

/** The listings, each with the question about its ticker. A question is void if the listing got the ticker later. */
const LISTINGS = `from asset as a join instrument as i on i.instrument_id = a.asset_id
  left join mapping_question as q
    on q.scheme = 'ticker' and q.value = i.ticker and q.market = '${UNITED_STATES}' and not exists (
      select 1 from instrument_identifier as n where n.asset_id = a.asset_id and n.scheme = 'ticker' and n.value = i.ticker
        and n.known_to is null and n.known_from > q.asked_at
    )
  where ${IS_LISTED}`

const ISINS = `from mapping_question as q where q.scheme = 'isin' and q.market = '${UNITED_STATES}' and q.figi is null
  and not exists (select 1 from instrument as i where i.isin = q.value)`

const isDue = (now: string) =>
  `(q.asked_at is null or q.asked_at < ${now}::timestamptz - make_interval(days => ${ASK_AGAIN_DAYS}))`

const DUE_TICKERS = statement(
  'lacks aggregate of a join',
  { value: 'text' },
  `select i.ticker as value ${LISTINGS} and i.figi is null and ${isDue('$2')}
   group by i.ticker order by min(q.asked_at) nulls first, min(a.asset_id) limit $3`,
)

const DUE_ISINS = statement(
  'lacks join without a relation',
  { value: 'text' },
  `select q.value ${ISINS} and ${isDue('$1')}
   order by q.asked_at nulls first, not starts_with(q.value, 'US'), q.value limit $2`,
)

/**
 * The questions to ask at an instant, those that were never asked first: the tickers of listings without a FIGI, or the ISINs of
 * holdings, those of the United States before others.
 */
export async function loadDueQuestions(
  sql: Sql,
  scheme: MappingQuestion['scheme'],
  now: Date,
  limit: number,
): Promise<readonly MappingQuestion[]> {
  const due =
    scheme === 'ticker'
      ? await sql.rows(DUE_TICKERS, [LIST_SOURCES, now, limit])
      : await sql.rows(DUE_ISINS, [now, limit])
  return due.map(({ value }) => ({ scheme, value }))
}

const PROGRESS = statement(
  'lacks aggregate of a join',
  { listings: 'int4', figis: 'int4', isins: 'int4', newTickers: 'int4', newIsins: 'int4' },
  `select count(*)::int as listings, count(i.figi)::int as figis, count(i.isin)::int as isins,
     count(*) filter (where i.figi is null and q.asked_at is null)::int as "newTickers",
     (select count(*)::int ${ISINS} and q.asked_at is null) as "newIsins"
   ${LISTINGS}`,
)

/** How many listings have a FIGI and an ISIN, and how many tickers and ISINs were never asked for. */
export type MappingProgress = RowIn<typeof PROGRESS>

/** Null without listings. */
export async function loadMappingProgress(sql: Sql): Promise<MappingProgress | null> {
  const [progress] = await sql.rows(PROGRESS, [LIST_SOURCES])
  return progress === undefined || progress.listings === 0 ? null : progress
}

const WRITE = `insert into mapping_question (${columnNames(MAPPING_QUESTION)}) ${jsonRows(MAPPING_QUESTION, '$1')}
  on conflict (scheme, value, market) do update set ${replaced(MAPPING_QUESTION)}
  where mapping_question.asked_at is null or mapping_question.asked_at <= excluded.asked_at`

type StoredQuestion = RowOf<typeof MAPPING_QUESTION>

/** A question that was asked, with what its answer states. */
type AskedQuestion = Partial<StoredQuestion> & Pick<StoredQuestion, 'scheme' | 'value' | 'market' | 'askedAt'>

/** Stores questions with their answers, unless a stored answer is later: two nodes may ask one question at once. */
export async function writeAskedQuestions(sql: Sql, asked: readonly AskedQuestion[]): Promise<void> {
  await sql.rows(WRITE, [jsonOfRows(asked)])
}

/** Stores the answers about the United States. An identifier that the provider does not know counts as asked. */
export async function writeMappingAnswers(
  tx: Transaction,
  answers: readonly MappingAnswer[],
  { knownAt: askedAt }: Known,
): Promise<WriteCounts> {
  await writeAskedQuestions(
    tx,
    answers.map((answer) => ({ ...answer, market: UNITED_STATES, askedAt })),
  )
  const added = answers.filter(({ figi }) => figi !== null).length
  return { added, revised: 0, unchanged: answers.length - added }
}
