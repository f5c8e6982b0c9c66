import { type AsOf, observedInstant } from '../../../core/as-of.js'
import { groupBy } from '../../../core/group-by.js'
import { INSTRUMENT_IDENTIFIER } from '../../../generated/columns.js'
import type { InstrumentIdentifier } from '../../../generated/prisma/client.js'
import { asOfWhere } from '../../../platform/bi-temporal/as-of-where.js'
import { seriesCloser } from '../../../platform/bi-temporal/close-rows.js'
import { sourceRemover } from '../../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumns,
  type WriteCounts,
} from '../../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../../platform/bi-temporal/write-series.js'
import type { Database, Transaction } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import type { IdentifierRow, InstrumentFacts, TickerChange } from '../model.js'
import { withDays } from '../symbols/stored-days-model.js'
import {
  buildTickerChain,
  mergeFormerTickers,
  type NumberedIdentifier,
  numberOccurrences,
  toCikRows,
} from './identifier-periods.js'

const TABLE = {
  name: 'instrument_identifier',
  key: storedColumns(INSTRUMENT_IDENTIFIER, 'assetId', 'scheme', 'value', 'occurrence'),
  values: storedColumns(INSTRUMENT_IDENTIFIER, 'validFrom', 'validTo'),
  notes: [SOURCE_COLUMN],
} satisfies SeriesTable<NumberedIdentifier>

const writeNumbered = seriesWriter<NumberedIdentifier>(TABLE)
const closeIdentifiers = seriesCloser<IdentifierKey>(TABLE)

/**
 * Writes identifiers with their period of validity. A change of the period is a revision. The rows must have every period of
 * each identifier that they name, because an instrument may have the same one several times.
 */
export function writeIdentifiers(
  tx: Transaction,
  rows: readonly IdentifierRow[],
  known: Known,
): Promise<WriteCounts> {
  return writeNumbered(tx, numberOccurrences(rows), known)
}

interface CurrentIdentifier extends NumberedIdentifier {
  readonly source: string
}

/** The identifiers of assets as known now. */
async function loadCurrentIdentifiers(
  { prisma }: Pick<Database, 'prisma'>,
  assetIds: readonly number[],
): Promise<readonly CurrentIdentifier[]> {
  const rows = await prisma.instrumentIdentifier.findMany({
    where: { assetId: { in: [...assetIds] }, knownTo: null },
  })
  return rows.map(withDays)
}

/** Maximum of identifiers per instrument in a response. Within a scheme the newest come first. */
const MAX_IDENTIFIERS = 100

/** Identifiers of assets, by the key of the asset as text, in one statement. `asOf` null selects what is known now. */
export async function listIdentifiers(
  prisma: PrismaModels,
  assetIds: readonly number[],
  asOf: AsOf | null,
): Promise<ReadonlyMap<string, readonly InstrumentIdentifier[]>> {
  const rows = await prisma.instrumentIdentifier.findMany({
    where: { assetId: { in: [...assetIds] }, ...asOfWhere(observedInstant(asOf)) },
    orderBy: [{ scheme: 'asc' }, { validTo: { sort: 'desc', nulls: 'first' } }, { value: 'asc' }],
  })
  const byAsset = groupBy<InstrumentIdentifier>(rows, ({ assetId }) => String(assetId))
  return new Map([...byAsset].map(([assetId, own]) => [assetId, own.slice(0, MAX_IDENTIFIERS)]))
}

type IdentifierKey = Pick<NumberedIdentifier, 'assetId' | 'scheme' | 'value' | 'occurrence'>

const keyText = ({ assetId, scheme, value, occurrence }: IdentifierKey) =>
  `${assetId} ${scheme} ${value} ${occurrence}`

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
  const byAsset = groupBy<CurrentIdentifier>(current, ({ assetId }) => String(assetId))
  const changes = facts.map((own) => compareMaster(own, byAsset.get(String(own.assetId)) ?? []))
  await closeIdentifiers(
    tx,
    changes.flatMap(({ wrong }) => wrong),
    known,
  )
  const added = changes.flatMap((change) => change.added)
  if (added.length > 0) await writeIdentifiers(tx, added, known)
}

/** The stored identifiers of a master that were wrong, and the rows to write. */
function compareMaster(
  facts: InstrumentFacts,
  stored: readonly CurrentIdentifier[],
): { readonly wrong: readonly IdentifierKey[]; readonly added: readonly IdentifierRow[] } {
  const { assetId, ticker, formerTickers = [] } = facts
  const tickers = stored.filter(({ scheme }) => scheme === 'ticker')
  const chain = buildTickerChain(assetId, ticker, formerTickers)
  const hasPeriod = (row: IdentifierRow) =>
    stored.some(
      ({ scheme, value, validTo }) => scheme === row.scheme && value === row.value && validTo === row.validTo,
    )
  const wanted = [...toIdentifierRows(facts), ...chain]
  const values = new Set(wanted.map(({ scheme, value }) => `${scheme} ${value}`))
  const wrong = stored.filter(
    ({ scheme, value, validTo }) =>
      validTo === null && scheme !== 'name' && !values.has(`${scheme} ${value}`),
  )
  const others = toIdentifierRows(facts).filter((row) => !hasPeriod(row))
  const isKnownChain = chain.every(hasPeriod)
  const added = isKnownChain
    ? others
    : [...others, ...buildTickerChain(assetId, ticker, mergeFormerTickers(tickers, formerTickers))]
  return { wrong, added }
}

function toIdentifierRows(facts: InstrumentFacts): readonly IdentifierRow[] {
  const { assetId, isin, figi, cik, lei, formerCik } = facts
  const rows = Object.entries({ isin, figi, lei, cik } as const).flatMap(
    ([scheme, value]) =>
      value === null
        ? []
        : { assetId, scheme: scheme as IdentifierRow['scheme'], value, validFrom: null, validTo: null }, // a key of the literal
  )
  if (formerCik === undefined || cik === null) return rows
  const others = rows.filter(({ scheme }) => scheme !== 'cik')
  return [...others, ...toCikRows({ assetId, formerCik: formerCik.cik, cik, day: formerCik.to })]
}

/** Closes the current tickers of assets that the new chains lack, and writes the chains. */
async function replaceTickers(
  tx: Transaction,
  current: readonly CurrentIdentifier[],
  rows: readonly IdentifierRow[],
  known: Known,
): Promise<void> {
  const keys = new Set(numberOccurrences(rows).map(keyText))
  const gone = current.filter((row) => row.scheme === 'ticker' && !keys.has(keyText(row)))
  await closeIdentifiers(tx, gone, known)
  if (rows.length > 0) await writeIdentifiers(tx, rows, known)
}

/**
 * Writes changes of tickers: the former ticker ends on the day of the change, on which the next one begins. The changes of a
 * former ticker replace the stored ones of that ticker, unless the asset still had it: then its latest period ends. Counts
 * new, revised and unchanged changes.
 */
export async function writeTickerChanges(
  tx: Transaction,
  changes: readonly TickerChange[],
  known: Known,
): Promise<WriteCounts> {
  if (changes.length === 0) return { added: 0, revised: 0, unchanged: 0 }
  const current = await loadCurrentIdentifiers(tx, [...new Set(changes.map(({ assetId }) => assetId))])
  const tickers = current.filter(({ scheme }) => scheme === 'ticker')
  const byAsset = groupBy(changes, ({ assetId }) => String(assetId))
  const rows = [...byAsset.values()].flatMap((given) => {
    const [{ assetId }] = given
    const stored = tickers.filter((row) => row.assetId === assetId)
    const former = given.map(({ formerTicker, day }) => ({ ticker: formerTicker, to: day }))
    return buildTickerChain(assetId, given.at(-1)?.ticker ?? '', mergeFormerTickers(stored, former))
  })
  await replaceTickers(tx, tickers, rows, known)
  const counts = { added: 0, revised: 0, unchanged: 0 }
  for (const { assetId, formerTicker, day } of changes) {
    const before = tickers.filter((row) => row.assetId === assetId && row.value === formerTicker)
    if (before.some(({ validTo }) => validTo === day)) counts.unchanged += 1
    else if (before.every(({ validTo }) => validTo === null)) counts.added += 1
    else counts.revised += 1
  }
  return counts
}

/**
 * Withdraws changes of tickers that never happened, and returns the number of those that were known. The day tells several
 * changes of one former ticker apart.
 */
export async function withdrawTickerChanges(
  tx: Transaction,
  changes: readonly TickerChange[],
  known: Known,
): Promise<number> {
  if (changes.length === 0) return 0
  const current = await loadCurrentIdentifiers(tx, [...new Set(changes.map(({ assetId }) => assetId))])
  const tickers = current.filter(({ scheme }) => scheme === 'ticker')
  const isGone = ({ assetId, value, validTo }: CurrentIdentifier) => {
    if (validTo === null) return false
    const own = changes.filter((change) => change.assetId === assetId && change.formerTicker === value)
    const isOnlyPeriod =
      tickers.filter((row) => row.assetId === assetId && row.value === value && row.validTo !== null)
        .length === 1
    return own.some(({ day }) => isOnlyPeriod || day === validTo)
  }
  const gone = tickers.filter(isGone)
  if (gone.length === 0) return 0
  const tickerOfAsset = new Map(changes.map(({ assetId, ticker }) => [assetId, ticker]))
  const rows = [...tickerOfAsset].flatMap(([assetId, ticker]) => {
    const kept = tickers.filter((row) => row.assetId === assetId && !gone.includes(row))
    return buildTickerChain(assetId, ticker, mergeFormerTickers(kept, []))
  })
  await replaceTickers(tx, tickers, rows, known)
  return gone.length
}

/**
 * Returns the masters with the tickers and CIKs of the given sources, so that a later finding is not overwritten by the masters
 * that ship with the gateway. A CIK of the masters counts unless a source has ended it.
 */
export async function withLaterIdentity(
  database: Pick<Database, 'prisma'>,
  facts: readonly InstrumentFacts[],
  sources: readonly string[],
): Promise<readonly InstrumentFacts[]> {
  const rows = await loadCurrentIdentifiers(
    database,
    facts.map(({ assetId }) => assetId),
  )
  const later = new Map<string, string>()
  for (const { assetId, scheme, value, validTo, source } of rows)
    if (validTo === null && sources.includes(source)) later.set(`${assetId} ${scheme}`, value)
  if (later.size === 0) return facts
  const ended = new Set(
    rows.flatMap(({ assetId, scheme, value, validTo, source }) =>
      scheme === 'cik' && validTo !== null && sources.includes(source) ? `${assetId} ${value}` : [],
    ),
  )
  return facts.map((own) => {
    const { assetId, ticker, cik } = own
    const isCikEnded = cik === null || ended.has(`${assetId} ${cik}`)
    return {
      ...own,
      ticker: later.get(`${assetId} ticker`) ?? ticker,
      cik: isCikEnded ? (later.get(`${assetId} cik`) ?? cik) : cik,
    }
  })
}

export const removeIdentifiers = sourceRemover(({ instrumentIdentifier }) => [instrumentIdentifier])
