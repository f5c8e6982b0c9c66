import { buildSymbols, VENUES, type Venue } from '../../../core/consensus/venue-symbols.js'
import { explainSlug } from '../../../core/identifiers.js'
import type { InstrumentFacts, VenueSymbols } from '../../../domains/instruments/model.js'
import { type Read, valueOr } from '../../bodies/read.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { type OwnColumn, ownColumn, type TableRow, type TableTexts } from './columns.js'
import {
  INSTRUMENT_COLUMNS,
  type InstrumentColumns,
  integerCell,
  SYMBOL_COLUMNS,
} from './instrument-cells.js'
import { contradictedRows } from './instrument-contradictions.js'
import { OPERATOR_FEED } from './keyed-lines.js'
import { readTable } from './table.js'

/** Lower keys are reserved for the reference. */
const FIRST_OWN_ID = 1_000_000

const COLUMNS = {
  slug: ownColumn('slug', '', (cell) => ({ value: cell }), true),
  assetId: ownColumn('asset_id', `of a new asset, from ${FIRST_OWN_ID} on`, integerCell),
  ...INSTRUMENT_COLUMNS,
  ...SYMBOL_COLUMNS,
}

/** The required columns of a new asset; the others may be absent or empty. */
const { ticker, name, assetClass, currency } = INSTRUMENT_COLUMNS
const NEEDED: readonly string[] = [ticker, name, assetClass, currency].map((one) => one.name)

export const INSTRUMENTS_TABLE: TableTexts = {
  columns: COLUMNS,
  notes: [
    'symbol_*: the symbol in USD (binance and okx: in USDT) as the venue writes it, by default its usual spelling of the ticker; an empty cell: the venue is not used',
    'a missing column keeps the stored value of an asset; an empty cell removes it',
    `a new asset needs asset_id, ${NEEDED.join(', ')}; the file takes precedence over every later run of the reference`,
  ],
}

/** The operator's table of assets, which adds to the masters or overrides them. */
export function instrumentsFile(masters: readonly InstrumentFacts[]): Feed<InstrumentFacts> {
  return {
    ...OPERATOR_FEED,
    id: 'instruments',
    dataset: 'instruments',
    description: 'Assets of your own, and what you know better than the reference, from a CSV file',
    parse: (body, context) => parseFile(body, context, knownOf(masters)),
  }
}

/** The masters by their unique keys; the file's rows join them as they are read. */
interface Known {
  readonly bySlug: Map<string, InstrumentFacts>
  readonly slugById: Map<number, string>
  readonly slugByListing: Map<string, string>
  /** Line of each slug of the file. */
  readonly lineOf: Map<string, number>
}

function knownOf(masters: readonly InstrumentFacts[]): Known {
  const known: Known = { bySlug: new Map(), slugById: new Map(), slugByListing: new Map(), lineOf: new Map() }
  for (const facts of masters) note(known, facts)
  return known
}

function note({ bySlug, slugById, slugByListing }: Known, facts: InstrumentFacts): void {
  const before = bySlug.get(facts.slug)
  if (before?.mic) slugByListing.delete(`${before.ticker} ${before.mic}`)
  bySlug.set(facts.slug, facts)
  slugById.set(facts.assetId, facts.slug)
  if (facts.mic !== null) slugByListing.set(`${facts.ticker} ${facts.mic}`, facts.slug)
}

function* parseFile(
  body: Uint8Array,
  context: ParseContext,
  known: Known,
): Generator<Parsed<InstrumentFacts>> {
  const rows = [...readTable(body, COLUMNS, context.onRead)]
  const contradicted = contradictedRows(
    rows.flatMap((row) => ('kind' in row ? [] : row)),
    Object.values(COLUMNS).map(({ name }) => name),
    known,
  )
  for (const row of rows) {
    if ('kind' in row) {
      yield row
      continue
    }
    const slug = row.cell('slug') ?? ''
    const contradiction = contradicted.get(row)
    const read = contradiction === undefined ? readRow(row, slug, known) : { wrong: contradiction }
    if ('wrong' in read) {
      const position = slug === '' ? `line ${row.line}` : `line ${row.line}, ${quoted(slug)}`
      yield { kind: 'rejected', position, reason: read.wrong }
      continue
    }
    known.lineOf.set(slug, row.line)
    note(known, read.value)
    yield { kind: 'row', row: read.value }
  }
}

function readRow(row: TableRow, slug: string, known: Known): Read<InstrumentFacts> {
  const wrongSlug = explainSlug(slug)
  if (wrongSlug !== null) return { wrong: `slug ${quoted(slug)} ${wrongSlug}` }
  const earlier = known.lineOf.get(slug)
  if (earlier !== undefined) return { wrong: `line ${earlier} already has ${slug}` }
  const base = known.bySlug.get(slug) ?? null
  const faults: string[] = []
  const assetId = readAssetId(row, slug, base, known, faults)
  const columns = readOver<InstrumentColumns>(
    INSTRUMENT_COLUMNS,
    row,
    base ? storedColumns(base) : {},
    faults,
  )
  const symbols = readSymbols(row, base, columns, faults)
  const missing = base === null ? NEEDED.filter((name) => row.cell(name) === null) : []
  faults.push(
    ...missing.map((name) => `${name} is missing: the asset is new and the file has no such column`),
  )
  if (assetId !== null && faults.length === 0) {
    const values = { ...NO_COLUMNS, ...columns }
    faults.push(...clashesOf(slug, { ...values, symbols }, base, known))
    if (faults.length === 0)
      return { value: { ...listedFactsOf(base), assetId, slug, ...factsOf(values, symbols) } }
  }
  return { wrong: faults.join('; ') }
}

/** Null if the row has a fault. */
function readAssetId(
  row: TableRow,
  slug: string,
  base: InstrumentFacts | null,
  { slugById }: Known,
  faults: string[],
): number | null {
  const cell = row.cell('asset_id') ?? ''
  if (cell === '' && base !== null) return base.assetId
  const read = integerCell(cell)
  const wrong =
    'wrong' in read ? read.wrong : wrongId(read.value, slug, base, slugById.get(read.value) ?? null)
  if (wrong !== null) faults.push(cell === '' ? `asset_id is missing: ${slug} is new` : `asset_id ${wrong}`)
  return wrong === null ? valueOr(read, null) : null
}

function wrongId(
  assetId: number,
  slug: string,
  base: InstrumentFacts | null,
  holder: string | null,
): string | null {
  if (base !== null)
    return base.assetId === assetId ? null : `${assetId} contradicts the asset_id ${base.assetId} of ${slug}`
  if (holder !== null) return `${assetId} already belongs to ${holder}`
  return assetId < FIRST_OWN_ID ? `${assetId} is reserved for the reference; begin at ${FIRST_OWN_ID}` : null
}

/** The cell of each ownColumn, or else its stored value. A column with a fault keeps its stored value. */
function readOver<Values extends object>(
  columns: { readonly [Member in keyof Values]: OwnColumn<Values[Member]> },
  row: TableRow,
  stored: Partial<Values>,
  faults: string[],
): Partial<Values> {
  const members = Object.keys(columns) as (keyof Values)[] // its own keys
  const values = members.flatMap((member) => {
    const { name, read } = columns[member]
    const value = row.cell(name) === null ? null : read(row, null)
    if (value !== null && 'wrong' in value) faults.push(value.wrong)
    if (value !== null && 'value' in value) return [[member, value.value]]
    return stored[member] === undefined ? [] : [[member, stored[member]]]
  })
  return Object.fromEntries(values) as Partial<Values> // each column by its parser
}

function storedColumns(base: InstrumentFacts): InstrumentColumns {
  const { contract } = base
  return { ...base, chainId: contract?.chainId ?? null, contractAddress: contract?.address ?? null }
}

/** Another ticker needs other symbols at venues, unless the file names them. */
function readSymbols(
  row: TableRow,
  base: InstrumentFacts | null,
  { assetClass, ticker = '' }: Partial<InstrumentColumns>,
  faults: string[],
): VenueSymbols {
  const isByRule = assetClass === 'crypto' && base?.ticker !== ticker
  const stored = isByRule ? buildSymbols(ticker) : (base?.symbols ?? {})
  return readOver<Record<Venue, string | null>>(SYMBOL_COLUMNS, row, stored, faults)
}

/** What lists state of an asset, which the file has no columns for. An asset of the file counts as listed. */
function listedFactsOf(base: InstrumentFacts | null): Partial<InstrumentFacts> {
  const { exchange = null, securityType = null, issuerAssetId = null } = base ?? {}
  return { exchange, securityType, issuerAssetId }
}

/** A new asset without the optional columns; those that it needs are in the file. */
const NO_COLUMNS = {
  ...Object.fromEntries(Object.keys(INSTRUMENT_COLUMNS).map((member) => [member, null])),
  ...{ ticker: '', name: '', assetClass: 'crypto', currency: '' },
} as InstrumentColumns // every member is there

function factsOf(
  { chainId, contractAddress: address, ...columns }: InstrumentColumns,
  symbols: VenueSymbols,
) {
  return {
    ...columns,
    contract: chainId !== null && address !== null ? { chainId, address } : null,
    symbols:
      columns.assetClass === 'crypto'
        ? Object.fromEntries(VENUES.map((venue) => [venue, symbols[venue] ?? null]))
        : {},
  }
}

/** Checks the row as a whole: within itself, against the stored asset, and against other assets. */
function clashesOf(
  slug: string,
  row: InstrumentColumns & { readonly symbols: VenueSymbols },
  base: InstrumentFacts | null,
  { slugByListing }: Known,
): readonly string[] {
  const { ticker, mic, assetClass, tier, sectorGics, chainId, contractAddress, symbols } = row
  const faults: string[] = []
  const holder = mic === null ? undefined : slugByListing.get(`${ticker} ${mic}`)
  if (holder !== undefined && holder !== slug) faults.push(`${ticker} on ${mic} already belongs to ${holder}`)
  if (base !== null && base.assetClass !== assetClass) {
    faults.push(`asset_class ${assetClass} contradicts the class ${base.assetClass} of ${slug}`)
  }
  if (assetClass !== 'crypto' && tier !== null) faults.push('tier is for crypto assets only')
  if (assetClass !== 'crypto' && contractAddress !== null) faults.push('contract is for crypto assets only')
  const isNamed = Object.values(symbols).some((symbol) => symbol !== null)
  if (assetClass !== 'crypto' && isNamed) faults.push('symbols of venues are for crypto assets only')
  if (assetClass !== 'stock' && sectorGics !== null) faults.push('sector_gics is for stocks only')
  if ((chainId === null) !== (contractAddress === null))
    faults.push('chain_id and contract must be given together')
  return faults
}
