import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { z } from 'zod'
import { sha256Hex } from '../../core/canonical-json.js'
import { type AssetTier, METHODOLOGY_VERSION } from '../../core/consensus/consensus.js'
import { recomputePublishedPrice } from '../../core/consensus/published-price.js'
import type { ReleaseManifest } from './manifest.js'

/** Consensus prices of a release that are computed again if no number is given. */
export const DEFAULT_PRICES = 1_000

/** Row groups of a sample. A whole one is read for a single row of it, so a sample takes many rows of few. */
const SAMPLED_GROUPS = 20

interface RowGroup {
  readonly file: string
  readonly start: number
  readonly rows: number
}

const CandleSchema = z.object({
  asset_id: z.number(),
  timeframe: z.string(),
  ts: z.date(),
  vwap_usd: z.number().nullable(),
  methodology_version: z.string(),
  sources: z.string(),
})

const SourcesSchema = z.array(
  z.object({
    venue: z.string(),
    vwapUsd: z.string().nullable(),
    volumeUsd: z.string().nullable(),
    weight: z.string().nullable(),
    exclusion: z.string().nullable(),
  }),
)

/** Every tier that an asset may have had: a release does not state it. */
const TIERS: readonly AssetTier[] = [1, 2, 3]

/**
 * Computes consensus prices of a release of candles again from the sources in their rows: about `count` rows, and the same
 * ones for the same manifest. A price is right if the rules of one tier give it. Rows of other rules are not counted.
 */
export async function recomputePrices(
  manifest: ReleaseManifest,
  open: (file: string) => Promise<AsyncBuffer>,
  count: number,
): Promise<{ readonly checked: number; readonly faults: readonly string[] }> {
  const faults: string[] = []
  let checked = 0
  const groups = sampleOf(await loadRowGroups(manifest, open), manifest, count)
  const perGroup = Math.ceil(count / Math.max(groups.length, 1))
  for (const { file, start, rows } of groups) {
    const candles = await parquetReadObjects({
      file: await open(file),
      columns: Object.keys(CandleSchema.shape),
      rowStart: start,
      rowEnd: start + rows,
    })
    const step = Math.max(1, rows / perGroup)
    for (let place = 0; place < rows && checked < count; place += step) {
      const fault = faultOf(candles[Math.floor(place)])
      if (fault === 'other rules') continue
      checked++
      if (fault !== null) faults.push(`${file}, row ${start + Math.floor(place) + 1}: ${fault}`)
    }
  }
  return { checked, faults }
}

async function loadRowGroups(
  { files }: ReleaseManifest,
  open: (file: string) => Promise<AsyncBuffer>,
): Promise<readonly RowGroup[]> {
  const groups: RowGroup[] = []
  for (const { name } of files) {
    let start = 0
    for (const { num_rows } of (await parquetMetadataAsync(await open(name))).row_groups) {
      groups.push({ file: name, start, rows: Number(num_rows) })
      start += Number(num_rows)
    }
  }
  return groups
}

/** Groups in an order that the hashes of the files decide, as many as the sample needs. */
function sampleOf(
  groups: readonly RowGroup[],
  { files }: ReleaseManifest,
  count: number,
): readonly RowGroup[] {
  const seed = sha256Hex(files.map(({ sha256 }) => sha256).join())
  const placed = groups.map((group, index) => ({ group, place: sha256Hex(`${seed} ${index}`) }))
  const sorted = placed.toSorted((a, b) => (a.place < b.place ? -1 : 1)).map(({ group }) => group)
  const chosen: RowGroup[] = []
  let rows = 0
  for (const group of sorted) {
    if (rows >= count && chosen.length >= SAMPLED_GROUPS) break
    chosen.push(group)
    rows += group.rows
  }
  return chosen
}

/** What is wrong with a price; null if it is right. */
function faultOf(row: unknown): string | null {
  const candle = CandleSchema.safeParse(row)
  if (!candle.success) return 'is not a candle'
  const { asset_id, timeframe, ts, vwap_usd, methodology_version, sources } = candle.data
  if (methodology_version !== METHODOLOGY_VERSION) return 'other rules'
  const name = `asset ${asset_id}, ${timeframe}, ${ts.toISOString()}`
  try {
    const published = SourcesSchema.parse(JSON.parse(sources))
    const isRight = TIERS.some((tier) => isEqual(vwap_usd, published, tier))
    return isRight ? null : `${name} has another price than its sources give`
  } catch {
    return `${name} has sources that cannot be read`
  }
}

/** A double holds the 15 digits of a published price. */
function isEqual(vwapUsd: number | null, sources: z.infer<typeof SourcesSchema>, tier: AssetTier): boolean {
  const { recomputed, byTheRules, differingVenues } = recomputePublishedPrice(sources, tier)
  return (
    differingVenues.length === 0 &&
    [recomputed, byTheRules].every((price) => (price === null ? null : Number(price)) === vwapUsd)
  )
}
