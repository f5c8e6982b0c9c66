import type { AssetTier } from '../../../core/consensus/consensus.js'
import type { Sql } from '../../../platform/database/database.js'
import { column, statement } from '../../../platform/database/statement.js'
import { loadMasters } from '../masters/masters-store.js'
import type { InstrumentFacts } from '../model.js'
import { changedTiers, type TradedCoin } from './coin-tiers-model.js'

const VOLUMES = statement(
  'lacks aggregate of a join',
  { assetId: 'int4', tier: column<AssetTier>('int4'), volumeUsd: 'float8' },
  `select a.asset_id as "assetId", coalesce(a.tier, 3) as tier, coalesce(sum(c.volume_usd), 0)::float8 as "volumeUsd"
   from asset as a join instrument as i on i.instrument_id = a.asset_id
   left join candle as c on c.asset_id = a.asset_id and c.timeframe = '1d' and c.known_to is null and c.ts >= $1 and c.ts < $2
   where a.asset_class = 'crypto' and i.is_confirmed and i.inactive_since is null
   group by a.asset_id`,
)

/** The confirmed coins with the value that was traded in day windows that start in [from, to). */
export function loadTradedCoins(sql: Sql, from: Date, to: Date): Promise<readonly TradedCoin[]> {
  return sql.rows(VOLUMES, [from, to])
}

/** The assets of a list whose rank among all coins gives them another tier, with that tier. */
export async function loadChangedTiers(
  sql: Sql,
  source: string,
  span: { readonly from: Date; readonly to: Date },
): Promise<readonly InstrumentFacts[]> {
  const tiers = changedTiers(await loadTradedCoins(sql, span.from, span.to))
  if (tiers.size === 0) return []
  return (await loadMasters(sql)).flatMap((one) => {
    const tier = tiers.get(one.assetId)
    return tier === undefined || one.source !== source ? [] : { ...one, tier }
  })
}
