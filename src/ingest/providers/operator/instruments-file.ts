import { BAR_VENUES, buildSymbols } from '../../../core/consensus/venue-symbols.js'
import { explainSlug } from '../../../core/identifiers.js'
import type { InstrumentFacts, VenueSymbols } from '../../../domains/instruments/model.js'
import { type Read, valueOr } from '../../bodies/read.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { operator } from '../providers.js'
import {
  INSTRUMENT_CELLS,
  type InstrumentColumns,
  integerCell,
  type SymbolColumns,
} from './instrument-cells.js'
import { contradictedRows } from './instrument-contradictions.js'
import { readTable, type TableRow } from './table.js'

/** Lower keys are reserved for the reference. */
const FIRST_OWN_ID = 1_000_000

const VALUE_COLUMNS = Object.keys(INSTRUMENT_CELLS) as readonly (keyof InstrumentColumns)[] // its own keys

const COLUMNS = { known: ['slug', 'asset_id', ...VALUE_COLUMNS], required: ['slug'] } as const

/** The required columns of a new asset; the others may be absent or empty. */
const NEEDED = ['ticker', 'name', 'asset_class', 'currency'] as const

/** The columns of the file and their meaning, for the help text. */
export const INSTRUMENTS_FILE_HELP = [
  'header: slug and any of asset_id, ticker, name, asset_class (crypto, stock, etf, commodity), tier (1 to 3,',
  'crypto only), mic, isin, figi, lei, currency, sector_gics, cik, chain_id and contract (EVM token that counts all units),',
  'symbol_binance (its pair in USDT), symbol_bitstamp, symbol_coinbase, symbol_kraken (in USD), symbol_okx (in USDT): the',
  'symbol as the venue writes it, by default its usual spelling of the ticker; an empty cell: the venue is not used',
  'a missing column keeps the stored value of an asset; an empty cell removes it',
  `a new asset needs asset_id (from ${FIRST_OWN_ID} on), ${NEEDED.join(', ')}; the file takes precedence over every`,
  'later run of the reference',
] as const

/** The operator's table of assets, which adds to the masters or overrides them. */
export function instrumentsFile(masters: readonly InstrumentFacts[]): Feed<InstrumentFacts> {
  return {
    id: 'instruments',
    provider: operator,
    dataset: 'instruments',
    description: 'Assets of your own, and what you know better than the reference, from a CSV file',
    cadence: 'when you give it a file',
    fileNames: [],
    request: () => null,
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
  const rows = [...readTable(body, COLUMNS, (fraction) => context.onRead(fraction))]
  const contradicted = contradictedRows(
    rows.flatMap((row) => ('kind' in row ? [] : row)),
    COLUMNS.known,
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
  const columns = readColumns(row, base, faults)
  if (assetId !== null && faults.length === 0) {
    const facts = { ...listedFactsOf(base), ...factsOf(assetId, slug, columns) }
    faults.push(...clashesOf(facts, columns, base, known))
    if (faults.length === 0) return { value: facts }
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

/** The cell of each column, or else its stored value. A column with a fault keeps its stored value. */
function readColumns(
  row: TableRow,
  base: InstrumentFacts | null,
  faults: string[],
): Partial<InstrumentColumns> {
  const known: Partial<InstrumentColumns> = base === null ? {} : columnsOf(base)
  const read: [string, unknown][] = VALUE_COLUMNS.map((name) => {
    const cell = row.cell(name)
    if (cell === null) return [name, known[name]]
    const value = INSTRUMENT_CELLS[name](cell)
    if ('wrong' in value) faults.push(`${name} ${value.wrong}`)
    return [name, valueOr<unknown, unknown>(value, known[name])]
  })
  const missing = base === null ? NEEDED.filter((name) => row.cell(name) === null) : []
  faults.push(
    ...missing.map((name) => `${name} is missing: the asset is new and the file has no such column`),
  )
  const columns = Object.fromEntries(read) as Partial<InstrumentColumns> // each column by its parser
  return base !== null && base.ticker === columns.ticker
    ? columns
    : { ...columns, ...symbolsByRule(row, columns) }
}

/** Another ticker needs other symbols at venues, unless the file names them. */
function symbolsByRule(
  row: TableRow,
  { asset_class, ticker = '' }: Partial<InstrumentColumns>,
): Partial<SymbolColumns> {
  if (asset_class !== 'crypto') return {}
  const open = BAR_VENUES.filter((venue) => row.cell(`symbol_${venue}`) === null)
  return Object.fromEntries(open.map((venue) => [`symbol_${venue}`, buildSymbols(ticker)[venue]]))
}

function columnsOf(facts: InstrumentFacts): InstrumentColumns {
  const { assetClass, sectorGics, contract, symbols, ...same } = facts
  const named = BAR_VENUES.map((venue) => [`symbol_${venue}`, symbols[venue] ?? null])
  return {
    ...same,
    asset_class: assetClass,
    sector_gics: sectorGics,
    chain_id: contract?.chainId ?? null,
    contract: contract?.address ?? null,
    ...(Object.fromEntries(named) as SymbolColumns), // one per venue
  }
}

/** Without faults every required column is present. */
function factsOf(assetId: number, slug: string, columns: Partial<InstrumentColumns>): InstrumentFacts {
  const { asset_class, chain_id, contract, sector_gics, ticker = '', name = '', currency = '' } = columns
  const { tier = null, mic = null, isin = null, figi = null, cik = null, lei = null } = columns
  return {
    ...{
      assetId,
      slug,
      ticker,
      name,
      assetClass: asset_class ?? 'crypto',
      tier,
      mic,
      isin,
      figi,
      currency,
      cik,
      lei,
    },
    sectorGics: sector_gics ?? null,
    contract: chain_id != null && contract != null ? { chainId: chain_id, address: contract } : null,
    symbols: asset_class === 'crypto' ? storedSymbols(columns) : {},
  }
}

/** What lists state of an asset, which the file has no columns for. An asset of the file counts as listed. */
function listedFactsOf(base: InstrumentFacts | null): Partial<InstrumentFacts> {
  const { exchange = null, securityType = null, issuerAssetId = null } = base ?? {}
  return { exchange, securityType, issuerAssetId }
}

function storedSymbols(columns: Partial<SymbolColumns>): VenueSymbols {
  return Object.fromEntries(BAR_VENUES.map((venue) => [venue, columns[`symbol_${venue}`] ?? null]))
}

/** Checks the row as a whole: within itself, against the stored asset, and against other assets. */
function clashesOf(
  facts: InstrumentFacts,
  { chain_id = null, contract = null, ...columns }: Partial<InstrumentColumns>,
  base: InstrumentFacts | null,
  { slugByListing }: Known,
): readonly string[] {
  const { slug, ticker, mic, assetClass, tier, sectorGics } = facts
  const faults: string[] = []
  const holder = mic === null ? undefined : slugByListing.get(`${ticker} ${mic}`)
  if (holder !== undefined && holder !== slug) faults.push(`${ticker} on ${mic} already belongs to ${holder}`)
  if (base !== null && base.assetClass !== assetClass) {
    faults.push(`asset_class ${assetClass} contradicts the class ${base.assetClass} of ${slug}`)
  }
  if (assetClass !== 'crypto' && tier !== null) faults.push('tier is for crypto assets only')
  if (assetClass !== 'crypto' && contract !== null) faults.push('contract is for crypto assets only')
  const isNamed = Object.values(storedSymbols(columns)).some((symbol) => symbol !== null)
  if (assetClass !== 'crypto' && isNamed) faults.push('symbols of venues are for crypto assets only')
  if (assetClass !== 'stock' && sectorGics !== null) faults.push('sector_gics is for stocks only')
  if ((chain_id === null) !== (contract === null)) faults.push('chain_id and contract must be given together')
  return faults
}
