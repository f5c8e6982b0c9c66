import { ASSET_SUPPLY } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumns,
  type WriteCounts,
} from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { statement } from '../../platform/database/statement.js'
import type { SupplyRow } from './model.js'

const SUPPLY_TABLE: SeriesTable<SupplyRow> = {
  name: 'asset_supply',
  key: storedColumns(ASSET_SUPPLY, 'assetId'),
  values: [...storedColumns(ASSET_SUPPLY, 'supply', 'observedAt', 'methodology'), SOURCE_COLUMN],
  notes: [],
}

const writeLater = seriesWriter<SupplyRow>({ ...SUPPLY_TABLE, monotonicBy: 'observed_at' })

/** Adds and revises supplies, one current row per asset. An earlier observation may replace a later one. See `seriesWriter`. */
export const setSupplies = seriesWriter<SupplyRow>(SUPPLY_TABLE)

/**
 * Adds supplies, one current row per asset. A figure that was observed later replaces the current one, an earlier one changes
 * nothing. A current figure of a source in `yieldsTo` stays, and the row that would replace it counts as unchanged.
 */
export async function writeSupplies(
  tx: Transaction,
  rows: readonly SupplyRow[],
  known: Known,
  yieldsTo: readonly string[] = [],
): Promise<WriteCounts> {
  const held = yieldsTo.length === 0 ? new Set() : await loadHeldAssets(tx, yieldsTo)
  const own = rows.filter(({ assetId }) => !held.has(assetId))
  const counts = await writeLater(tx, own, known)
  return { ...counts, unchanged: counts.unchanged + rows.length - own.length }
}

async function loadHeldAssets(
  { prisma }: Transaction,
  sources: readonly string[],
): Promise<ReadonlySet<number>> {
  const where = { knownTo: null, source: { in: [...sources] } }
  const held = await prisma.assetSupply.findMany({ where, select: { assetId: true } })
  return new Set(held.map(({ assetId }) => assetId))
}

// Plain SQL: Prisma's client cannot compute the greater of a value and a column.
const WITHDRAW = statement(
  'lacks computed value',
  { assetId: 'int4' },
  `update asset_supply set known_to = greatest($3::timestamptz, known_from + interval '1 millisecond')
   where known_to is null and asset_id = any($1::int[]) and source = $2 returning asset_id as "assetId"`,
)

/** Closes the current supplies of these assets from a source without replacing them, and returns their number. */
export async function withdrawSupplies(
  tx: Transaction,
  assetIds: readonly number[],
  { knownAt, source }: Known,
): Promise<number> {
  return (await tx.rows(WITHDRAW, [assetIds, source, knownAt])).length
}

/** Removes all supplies of a source, closed ones too, and returns their number. */
export const removeSupplies = sourceRemover(({ assetSupply }) => [assetSupply])

/** The methodology of the current supply of each asset, by the asset's key as text. */
export async function loadSupplyMethodologies(
  prisma: PrismaModels,
  assetIds: readonly number[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await prisma.assetSupply.findMany({
    where: { knownTo: null, assetId: { in: [...assetIds] } },
    select: { assetId: true, methodology: true },
  })
  return new Map(rows.map(({ assetId, methodology }) => [String(assetId), methodology]))
}
