import { ASSET, INSTRUMENT } from '../../../generated/columns.js'
import type { Known, WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Queries, Sql, Transaction } from '../../../platform/database/database.js'
import {
  column,
  columnNames,
  jsonOfRows,
  jsonRows,
  only,
  replaced,
  selectList,
  statement,
  without,
} from '../../../platform/database/statement.js'
import { hasSameFirstWord } from '../company-model.js'
import { removeIdentifiers, writeMasterIdentifiers } from '../identifiers/identifiers-store.js'
import {
  FIRST_LISTED_ID,
  type InstrumentFacts,
  LAST_LISTED_ID,
  STATED_COLUMNS,
  type TokenContract,
  type VenueSymbols,
} from '../model.js'
import { tickerOfList } from '../symbols/listed-symbols-model.js'
import { isOfUsMarket } from './listed-masters-model.js'
import type { StoredMaster } from './stored-master-model.js'
import { removeAssetVersions, writeAssetVersions } from './versions-store.js'

const { ofAsset, ofListing } = STATED_COLUMNS
const STATED = { ...ofAsset, ...ofListing, contract: 'jsonb?', symbols: 'jsonb' } as const

const INCOMING = `incoming as (${jsonRows(STATED, '$1')})`

const CHAIN = `(n.contract->>'chainId')::int`
const ADDRESS = `n.contract->>'address'`

const COMPARE = statement(
  'bulk',
  { added: 'int4', revised: 'int4', unchanged: 'int4' },
  `with ${INCOMING}
  select count(*) filter (where a.asset_id is null)::int as added,
    count(*) filter (where a.asset_id is not null and not same.same)::int as revised,
    count(*) filter (where a.asset_id is not null and same.same)::int as unchanged
  from incoming as n
  left join asset as a on a.asset_id = n.asset_id
  left join instrument as i on i.instrument_id = n.asset_id
  left join asset_contract as c on c.asset_id = n.asset_id
  cross join lateral (select
    (${columnNames(ofAsset, 'n')}, $2::text) is not distinct from (${columnNames(ofAsset, 'a')}, a.source)
    and (${columnNames(ofListing, 'n')}, true, $2::text)
      is not distinct from (${columnNames(ofListing, 'i')}, i.is_primary, i.source)
    and (${CHAIN}, ${ADDRESS}) is not distinct from (c.chain_id, c.address)
    and n.symbols = coalesce((
      select jsonb_object_agg(s.venue, s.symbol) from venue_symbol as s where s.asset_id = n.asset_id), '{}')
    as same) as same`,
)

const UPSERT_ASSETS = `
  with ${INCOMING}
  insert into asset (${columnNames(ofAsset)}, last_updated, source)
  select ${columnNames(ofAsset)}, $3::timestamptz, $2 from incoming
  on conflict (asset_id) do update set ${replaced(ASSET)}`

const UPSERT_LISTINGS = `
  with ${INCOMING}
  insert into instrument (instrument_id, asset_id, ${columnNames(ofListing)}, is_primary, source)
  select asset_id, asset_id, ${columnNames(ofListing)}, true, $2 from incoming
  on conflict (instrument_id) do update set ${replaced(INSTRUMENT)}`

const UPSERT_CONTRACTS = `
  with ${INCOMING}, gone as (
    delete from asset_contract where asset_id in (select n.asset_id from incoming as n where ${ADDRESS} is null)
  )
  insert into asset_contract (asset_id, chain_id, address, source)
  select n.asset_id, ${CHAIN}, ${ADDRESS}, $2 from incoming as n where ${ADDRESS} is not null
  on conflict (asset_id) do update set chain_id = excluded.chain_id, address = excluded.address,
    source = excluded.source`

const UPSERT_SYMBOLS = `
  with ${INCOMING}, gone as (
    delete from venue_symbol as s using incoming as n where s.asset_id = n.asset_id and not jsonb_exists(n.symbols, s.venue)
  )
  insert into venue_symbol (asset_id, venue, symbol, source)
  select n.asset_id, given.key, given.value, $2 from incoming as n, jsonb_each_text(n.symbols) as given
  on conflict (asset_id, venue) do update set symbol = excluded.symbol, source = excluded.source`

/**
 * Adds or overwrites assets and their primary listings by `assetId`. An asset without a change is only confirmed
 * (`last_updated`). An asset of a source in `yieldsTo` is not overwritten, and a fact that would take its slug, or its ticker
 * on its market, is skipped. Both count as unchanged.
 */
export async function writeInstruments(
  tx: Transaction,
  facts: readonly InstrumentFacts[],
  known: Known,
  yieldsTo: readonly string[] = [],
): Promise<WriteCounts> {
  const own = yieldsTo.length === 0 ? facts : await withoutHeld(tx, facts, yieldsTo)
  const given = jsonOfRows(own.map((one) => ({ isConfirmed: true, ...one })))
  const [counts] = await tx.rows(COMPARE, [given, known.source])
  await tx.rows(UPSERT_ASSETS, [given, known.source, known.knownAt])
  await tx.rows(UPSERT_LISTINGS, [given, known.source])
  await tx.rows(UPSERT_CONTRACTS, [given, known.source])
  await tx.rows(UPSERT_SYMBOLS, [given, known.source])
  await writeMasterIdentifiers(tx, own, known)
  await writeAssetVersions(tx, own, known)
  const { added = 0, revised = 0, unchanged = 0 } = counts ?? {}
  return { added, revised, unchanged: unchanged + facts.length - own.length }
}

/** Assets per statement: one statement of ten thousand would hold the only session of an embedded database for seconds. */
const ASSETS_PER_WRITE = 1_000

/** Like `writeInstruments`, for as many assets as a list has. */
export async function writeInSlices(
  tx: Transaction,
  facts: readonly InstrumentFacts[],
  known: Known,
): Promise<void> {
  for (let start = 0; start < facts.length; start += ASSETS_PER_WRITE)
    await writeInstruments(tx, facts.slice(start, start + ASSETS_PER_WRITE), known)
}

async function withoutHeld(
  { prisma }: Queries,
  facts: readonly InstrumentFacts[],
  sources: readonly string[],
): Promise<readonly InstrumentFacts[]> {
  const held = await prisma.instrument.findMany({
    where: { asset: { source: { in: [...sources] } } },
    select: { assetId: true, ticker: true, mic: true, asset: { select: { slug: true } } },
  })
  const keys = new Set(held.flatMap(({ asset, ...own }) => uniqueKeysOf({ ...asset, ...own })))
  return facts.filter((own) => !uniqueKeysOf(own).some((key) => keys.has(key)))
}

/** The keys that no two assets may share. */
function uniqueKeysOf({
  assetId,
  slug,
  ticker,
  mic,
}: Pick<InstrumentFacts, 'assetId' | 'slug' | 'ticker' | 'mic'>): readonly string[] {
  return [`id ${assetId}`, `slug ${slug}`, ...(mic === null ? [] : [`listing ${ticker} ${mic}`])]
}

const PUBLISHED = statement(
  'lacks computed value',
  {
    ...only(ASSET, 'assetId', 'slug', 'assetClass', 'name'),
    ...only(INSTRUMENT, 'ticker', 'mic', 'cik'),
    isListedFund: 'bool',
  },
  `select a.asset_id as "assetId", a.slug, i.ticker, i.mic, i.cik, a.asset_class as "assetClass", a.name,
     (f.class_id is not null and f.unlisted_on is null) as "isListedFund"
   from asset as a join instrument as i on i.instrument_id = a.asset_id left join fund_class as f on f.asset_id = a.asset_id
   where a.asset_id between ${FIRST_LISTED_ID} and ${LAST_LISTED_ID} and replace(i.ticker, '.', '-') = any($1::text[])`,
)

/**
 * The facts with the key and the slug under which a list has already published the security. What is published never changes,
 * also when a later version of the reference has the asset under another key.
 */
export async function withPublishedKeys(
  sql: Sql,
  facts: readonly InstrumentFacts[],
): Promise<readonly InstrumentFacts[]> {
  const published = await sql.rows(PUBLISHED, [facts.map(({ ticker }) => tickerOfList(ticker))])
  return facts.map((own) => {
    const same = published.find(({ ticker, mic, cik, assetClass, name, isListedFund }) => {
      if (tickerOfList(ticker) !== tickerOfList(own.ticker) || assetClass !== own.assetClass) return false
      if (assetClass === 'crypto') return hasSameFirstWord(name, own.name)
      if (cik !== null && own.cik !== null) return cik === own.cik
      return mic === null ? isListedFund && isOfUsMarket(own) : mic === own.mic
    })
    return same === undefined ? own : { ...own, assetId: same.assetId, slug: same.slug }
  })
}

/** Removes all listings and assets of a source and returns the number of assets. */
export async function removeInstruments(tx: Transaction, source: string): Promise<number> {
  const { venueSymbol, assetContract, instrument, asset } = tx.prisma
  await venueSymbol.deleteMany({ where: { source } })
  await assetContract.deleteMany({ where: { source } })
  await removeIdentifiers(tx, source)
  await removeAssetVersions(tx, source)
  await instrument.deleteMany({ where: { source } })
  return (await asset.deleteMany({ where: { source } })).count
}

const MASTERS = statement(
  'lacks join without a relation',
  {
    ...STATED,
    // The casts are safe: only writeInstruments writes these columns.
    tier: column<InstrumentFacts['tier']>('int4?'),
    contract: column<InstrumentFacts['contract']>('jsonb?'),
    symbols: column<VenueSymbols>('jsonb'),
    source: 'text',
  },
  `select ${selectList(without(ofAsset, 'ticker'), 'a')}, ${selectList(ofListing, 'i')}, a.source,
     case when c.address is not null then jsonb_build_object('chainId', c.chain_id, 'address', c.address) end as contract,
     coalesce((
       select jsonb_object_agg(s.venue, s.symbol) from venue_symbol as s where s.asset_id = a.asset_id), '{}') as symbols
   from asset as a join instrument as i on i.instrument_id = a.asset_id
   left join asset_contract as c on c.asset_id = a.asset_id
   order by a.asset_id`,
)

/** The tokens whose contract is known, by `assetId`. */
export async function loadTokens({
  prisma,
}: Pick<Queries, 'prisma'>): Promise<
  readonly (Pick<InstrumentFacts, 'assetId' | 'slug'> & { readonly contract: TokenContract })[]
> {
  const rows = await prisma.assetContract.findMany({
    where: { asset: { assetClass: 'crypto' } },
    include: { asset: { select: { slug: true } } },
    orderBy: { assetId: 'asc' },
  })
  return rows.map(({ assetId, chainId, address, asset: { slug } }) => ({
    assetId,
    slug,
    contract: { chainId, address },
  }))
}

/** Every asset with its primary listing, by `assetId`. */
export function loadMasters(sql: Sql): Promise<readonly StoredMaster[]> {
  return sql.rows(MASTERS)
}

const TRADED = statement(
  'lacks aggregate of a join',
  { assetId: 'int4', symbols: column<VenueSymbols>('jsonb'), isConfirmed: 'bool' },
  `select s.asset_id as "assetId", jsonb_object_agg(s.venue, s.symbol) as symbols,
     coalesce(bool_and(i.is_confirmed), true) as "isConfirmed"
   from venue_symbol as s left join instrument as i on i.instrument_id = s.asset_id
   where s.asset_id = any($1::int[]) group by s.asset_id`,
)

/** How the venues trade an asset. */
export interface VenueFacts {
  readonly symbols: VenueSymbols
  readonly isConfirmed: boolean
}

/** The symbols of these assets at each venue. An asset without a stored symbol is not in the map. */
export async function loadVenueFacts(
  sql: Sql,
  assetIds: readonly number[],
): Promise<ReadonlyMap<number, VenueFacts>> {
  const rows = await sql.rows(TRADED, [assetIds])
  return new Map(rows.map(({ assetId, ...facts }) => [assetId, facts]))
}
