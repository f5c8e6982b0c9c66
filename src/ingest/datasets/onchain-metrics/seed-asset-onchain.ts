import { z } from 'zod'
import { decimal, decimalText } from '../../../core/decimal.js'
import { addDays, toIsoDate } from '../../../core/time.js'
import type { OnchainDay } from '../../../domains/onchain-metrics/model.js'
import { concatChunks, oneChunk } from '../../bodies/chunks.js'
import { BrokenBody, jsonOfBody, type ParseContext, type Parsed, type StreamFeed } from '../../feed.js'
import { parseAssetCsv } from '../../providers/coinmetrics/asset-csv.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { SEED_ASSETS } from '../market/seed-candles.js'
import type { SeedAsset } from '../market/seed-market.js'

const DAYS = 30

const ASSETS = SEED_ASSETS.filter(({ tier }) => tier === 1)

/** Each asset with its file in the format of Coin Metrics. */
const Files = z.array(z.strictObject({ assetId: z.int().positive(), csv: z.string() }))

/** Synthetic on-chain figures, read by the parser of Coin Metrics; figures that it does not publish are added. */
export const seedAssetOnchain: StreamFeed<OnchainDay> = {
  id: 'seed-asset-onchain',
  ...SEED_FEED,
  dataset: 'asset_onchain',
  description: `Synthetic on-chain figures of ${ASSETS.length} assets on ${DAYS} days`,
  parseStream: (body, context) => parseFiles(body, context),
}

/** The days that have ended at that instant. */
export function seedAssetOnchainBody(now: Date): Uint8Array {
  const today = toIsoDate(now)
  const days = Array.from({ length: DAYS }, (_, at) => addDays(today, at - DAYS))
  const files = ASSETS.map((asset) => ({
    assetId: asset.assetId,
    csv: [COLUMNS, ...days.map((day) => rowOf(asset, day))].join('\n'),
  }))
  return new TextEncoder().encode(JSON.stringify(files))
}

const COLUMNS = 'time,AdrActCnt,CapMVRVCur,CapMrktCurUSD,FeeTotUSD,SplyCur,TxCnt'

/** The same asset and day always have the same figures. */
function rowOf({ assetId, priceUsd, supply }: SeedAsset, day: string): string {
  const drawn = (what: string) => noise(`${assetId} ${day} ${what}`)
  const size = 10 ** (4 + 2 * noise(`${assetId} size`))
  const transactions = Math.round(size * (1 + 0.3 * drawn('transactions')))
  const addresses = Math.round(size * (1.4 + 0.5 * drawn('addresses')))
  const mvrv = (1.1 + noise(`${assetId} mvrv`) + 0.1 * drawn('mvrv')).toFixed(6)
  const cap = (priceUsd * Number(supply) * (0.95 + 0.1 * drawn('cap'))).toFixed(2)
  const fees = (transactions * (0.05 + 0.4 * noise(`${assetId} fee`)) * (1 + drawn('fees'))).toFixed(2)
  return [day, addresses, mvrv, cap, fees, supply, transactions].join()
}

async function* parseFiles(
  body: AsyncIterable<Uint8Array>,
  context: ParseContext,
): AsyncGenerator<Parsed<OnchainDay>> {
  const files = Files.safeParse(jsonOfBody(await concatChunks(body), 200))
  if (!files.success) throw new BrokenBody('the body is not a list of files')
  for (const { assetId, csv } of files.data) {
    for await (const item of parseAssetCsv(oneChunk(csv), { assetId }, context)) {
      yield item.kind === 'row' ? { kind: 'row', row: completed(item.row) } : item
    }
  }
}

const AGES = ['0-1m', '1m-6m', '6m-1y', '1y-2y', '2y-5y', '5y+'] as const

function completed(day: OnchainDay): OnchainDay {
  const key = `${day.assetId} ${day.snapshotDate}`
  const weights = AGES.map((age) => 1 + Math.round(9 * noise(`${day.assetId} ${age}`)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return {
    ...day,
    sopr: decimalText(decimal((0.97 + 0.06 * noise(`${key} sopr`)).toFixed(6))),
    hodlWaves: Object.fromEntries(AGES.map((age, at) => [age, (weights[at] ?? 0) / total])),
  }
}
