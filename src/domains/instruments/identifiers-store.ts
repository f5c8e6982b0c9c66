import { groupBy } from '../../core/group-by.js'
import type { IsoDate } from '../../core/time.js'
import type { InstrumentIdentifier, Prisma } from '../../generated/prisma/client.js'
import { removeSource } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  type WriteCounts,
} from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { column, type RowOf, statement } from '../../platform/database/statement.js'
import { buildTickerChain, type IdentifierRow, type InstrumentFacts, type TickerChange } from './model.js'

const TABLE: SeriesTable<IdentifierRow> = {
  name: 'instrument_identifier',
  key: [
    { name: 'asset_id', type: 'int', sentAs: 'int', of: ({ assetId }) => assetId },
    { name: 'scheme', type: 'identifier_scheme', of: ({ scheme }) => scheme },
    { name: 'value', type: 'text', of: ({ value }) => value },
  ],
  values: [
    { name: 'valid_from', type: 'date', of: ({ validFrom }) => validFrom },
    { name: 'valid_to', type: 'date', of: ({ validTo }) => validTo },
  ],
  notes: [SOURCE_COLUMN],
}

/** Writes identifiers with their period of validity. A change of the period is a revision. */
export const writeIdentifiers = seriesWriter<IdentifierRow>(TABLE)

const CURRENT_COLUMNS = {
  assetId: 'int4',
  scheme: column<IdentifierRow['scheme']>('identifier_scheme'),
  value: 'text',
  validFrom: column<IsoDate | null>('date?'),
  validTo: column<IsoDate | null>('date?'),
  source: 'text',
} as const

// Plain SQL: one statement reads the identifiers of thousands of assets of the masters.
const CURRENT = statement(
  CURRENT_COLUMNS,
  `select asset_id as "assetId", scheme, value, valid_from as "validFrom", valid_to as "validTo", source
   from instrument_identifier where asset_id = any($1::int[]) and known_to is null`,
)

/** The identifiers of assets as known now. */
function loadCurrentIdentifiers(
  sql: Sql,
  assetIds: readonly number[],
): Promise<readonly RowOf<typeof CURRENT_COLUMNS>[]> {
  return sql.rows(CURRENT, [assetIds])
}

/** Maximum of identifiers per instrument in a response. Within a scheme the newest come first. */
const MAX_IDENTIFIERS = 100

/** Identifiers of assets, by the key of the asset as text, in one statement. `asOf` null selects what is known now. */
export async function listIdentifiers(
  prisma: PrismaModels,
  assetIds: readonly number[],
  asOf: Date | null,
): Promise<ReadonlyMap<string, readonly InstrumentIdentifier[]>> {
  const known = asOf === null ? { knownTo: null } : knownAt(asOf)
  const rows = await prisma.instrumentIdentifier.findMany({
    where: { assetId: { in: [...assetIds] }, ...known },
    orderBy: [{ scheme: 'asc' }, { validTo: { sort: 'desc', nulls: 'first' } }, { value: 'asc' }],
  })
  const byAsset = groupBy<InstrumentIdentifier>(rows, ({ assetId }) => String(assetId))
  return new Map([...byAsset].map(([assetId, own]) => [assetId, own.slice(0, MAX_IDENTIFIERS)]))
}

function knownAt(asOf: Date): Prisma.InstrumentIdentifierWhereInput {
  return { knownFrom: { lte: asOf }, OR: [{ knownTo: null }, { knownTo: { gt: asOf } }] }
}

const CLOSE = `update instrument_identifier as t set known_to = greatest($4::timestamptz, t.known_from + interval '1 millisecond')
  from unnest($1::int[], $2::text[], $3::text[]) as k(asset_id, scheme, value)
  where t.asset_id = k.asset_id and t.scheme = k.scheme::identifier_scheme and t.value = k.value and t.known_to is null`

type IdentifierKey = Pick<IdentifierRow, 'assetId' | 'scheme' | 'value'>

const keyText = ({ assetId, scheme, value }: IdentifierKey) => `${assetId} ${scheme} ${value}`

/** Closes identifiers that were never right. */
async function closeIdentifiers(
  tx: Transaction,
  keys: readonly IdentifierKey[],
  { knownAt }: Known,
): Promise<void> {
  if (keys.length === 0) return
  const of = <Value>(read: (key: IdentifierKey) => Value) => keys.map(read)
  await tx.rows(CLOSE, [
    of(({ assetId }) => assetId),
    of(({ scheme }) => scheme),
    of(({ value }) => value),
    knownAt,
  ])
}

/**
 * Writes the identifiers of the masters. An identifier without an end that the masters no longer have was wrong and is closed.
 * One with an end stays. The period of an identifier that is known already does not change.
 */
export async function writeMasterIdentifiers(
  tx: Transaction,
  facts: readonly InstrumentFacts[],
  known: Known,
): Promise<void> {
  const current = await loadCurrentIdentifiers(
    tx,
    facts.map(({ assetId }) => assetId),
  )
  const byKey = new Map(current.map((row) => [keyText(row), row]))
  const wanted = facts.flatMap(toIdentifierRows)
  const isNew = (row: IdentifierRow) => byKey.get(keyText(row))?.validTo !== row.validTo
  const keys = new Set(wanted.map(keyText))
  const isWrong = (row: IdentifierRow) =>
    row.validTo === null && row.scheme !== 'name' && !keys.has(keyText(row))
  await closeIdentifiers(tx, current.filter(isWrong), known)
  const added = wanted.filter(isNew)
  if (added.length > 0) await writeIdentifiers(tx, added, known)
}

function toIdentifierRows(facts: InstrumentFacts): readonly IdentifierRow[] {
  const { assetId, ticker, isin, figi, cik, lei, formerTickers = [] } = facts
  const others = Object.entries({ isin, figi, cik, lei } as const).flatMap(
    ([scheme, value]) =>
      value === null
        ? []
        : { assetId, scheme: scheme as IdentifierRow['scheme'], value, validFrom: null, validTo: null }, // a key of the literal
  )
  return [...others, ...buildTickerChain(assetId, ticker, formerTickers)]
}

/**
 * Writes changes of tickers: the former ticker ends on the day of the change, on which the next one begins. Counts new,
 * revised and unchanged changes.
 */
export async function writeTickerChanges(
  tx: Transaction,
  changes: readonly TickerChange[],
  known: Known,
): Promise<WriteCounts> {
  if (changes.length === 0) return { added: 0, revised: 0, unchanged: 0 }
  const current = await loadCurrentIdentifiers(tx, [...new Set(changes.map(({ assetId }) => assetId))])
  const tickers = current.filter(({ scheme }) => scheme === 'ticker')
  const rows = [...new Set(changes.map(({ assetId }) => assetId))].flatMap((assetId) => {
    const given = changes.filter((change) => change.assetId === assetId)
    const names = new Set(given.map(({ formerTicker }) => formerTicker))
    const earlier = tickers.flatMap(({ value, validTo, ...row }) =>
      row.assetId === assetId && validTo !== null && !names.has(value) ? { ticker: value, to: validTo } : [],
    )
    const own = given.map(({ formerTicker, day }) => ({ ticker: formerTicker, to: day }))
    return buildTickerChain(assetId, given.at(-1)?.ticker ?? '', [...earlier, ...own])
  })
  const before = new Map(tickers.map((row) => [keyText(row), row.validTo]))
  await writeIdentifiers(tx, rows, known)
  const counts = { added: 0, revised: 0, unchanged: 0 }
  for (const { assetId, formerTicker, day } of changes) {
    const end = before.get(keyText({ assetId, scheme: 'ticker', value: formerTicker }))
    if (end === day) counts.unchanged += 1
    else if (end == null) counts.added += 1
    else counts.revised += 1
  }
  return counts
}

/** Withdraws changes of tickers that never happened, and returns the number of those that were known. */
export async function withdrawTickerChanges(
  tx: Transaction,
  changes: readonly Omit<TickerChange, 'day'>[],
  known: Known,
): Promise<number> {
  if (changes.length === 0) return 0
  const current = await loadCurrentIdentifiers(
    tx,
    changes.map(({ assetId }) => assetId),
  )
  const gone = new Set(
    changes.map(({ assetId, formerTicker }) => keyText({ assetId, scheme: 'ticker', value: formerTicker })),
  )
  const closed = current.filter((row) => row.validTo !== null && gone.has(keyText(row)))
  await closeIdentifiers(tx, closed, known)
  const assets = new Map(changes.map(({ assetId, ticker }) => [assetId, ticker]))
  const rows = [...assets].flatMap(([assetId, ticker]) =>
    buildTickerChain(
      assetId,
      ticker,
      current.flatMap((row) =>
        row.assetId === assetId && row.scheme === 'ticker' && row.validTo !== null && !gone.has(keyText(row))
          ? { ticker: row.value, to: row.validTo }
          : [],
      ),
    ),
  )
  if (closed.length > 0) await writeIdentifiers(tx, rows, known)
  return closed.length
}

/**
 * Returns the masters with the tickers and CIKs of the given sources, so that a later finding is not overwritten by the masters
 * that ship with the gateway.
 */
export async function withLaterIdentity(
  sql: Sql,
  facts: readonly InstrumentFacts[],
  sources: readonly string[],
): Promise<readonly InstrumentFacts[]> {
  const rows = await loadCurrentIdentifiers(
    sql,
    facts.map(({ assetId }) => assetId),
  )
  const later = new Map<string, string>()
  for (const { assetId, scheme, value, validTo, source } of rows)
    if (validTo === null && sources.includes(source)) later.set(`${assetId} ${scheme}`, value)
  if (later.size === 0) return facts
  return facts.map((own) => ({
    ...own,
    ticker: later.get(`${own.assetId} ticker`) ?? own.ticker,
    cik: own.cik ?? later.get(`${own.assetId} cik`) ?? null,
  }))
}

/** Removes the identifiers of a source. */
export function removeIdentifiers(tx: Transaction, source: string): Promise<number> {
  return removeSource([tx.prisma.instrumentIdentifier], source)
}
