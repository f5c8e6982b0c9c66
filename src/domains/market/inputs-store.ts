import type { AsOf } from '../../core/as-of.js'
import { asOfStatement, wasPublished } from '../../platform/bi-temporal/as-of-statement.js'
import { CANDLE_PUBLISHED } from '../../platform/bi-temporal/published-rules.js'
import type { Sql } from '../../platform/database/database.js'
import { type RowOf, statement } from '../../platform/database/statement.js'
import { unpackSources } from './compact/packed-sources-model.js'
import type { StoredSource, Timeframe } from './model.js'

/** Everything that a candle was computed from, with decimals as text. */
export interface CandleInputs {
  /** Start of the window. */
  readonly ts: Date
  readonly vwapUsd: string | null
  readonly methodologyVersion: string
  readonly sources: readonly StoredSource[]
  readonly knownFrom: Date
}

const INPUTS = {
  assetId: 'int4',
  ts: 'timestamptz',
  vwapUsd: 'numeric?',
  methodologyVersion: 'text',
  packed: 'bytea',
  knownFrom: 'timestamptz',
} as const

const INPUTS_LIST = `c.asset_id as "assetId", c.ts, trim_scale(c.vwap_usd) as "vwapUsd",
    c.methodology_version as "methodologyVersion", c.sources as packed, c.known_from as "knownFrom"`

/** SQL: the newest candle of each asset among those of a condition. */
const newestInputs = (condition: string) => `
  select newest.* from unnest($1::int[]) as wanted(asset_id)
  cross join lateral (
    select ${INPUTS_LIST} from candle as c
    where c.asset_id = wanted.asset_id and c.timeframe = $2::timeframe and ${condition}
    order by c.ts desc limit 1
  ) as newest`

const NEWEST_INPUTS = statement('lacks newest per key', INPUTS, newestInputs('c.known_to is null'))

/**
 * Current and closed candles each from the index that holds them. No window is known before it starts, so that the search begins
 * at the instant.
 */
const pastInputs = (known: string) =>
  statement(
    'lacks newest per key',
    INPUTS,
    `select distinct on (found."assetId") found.* from (
     ${newestInputs(`c.known_to is null and c.ts <= $3::timestamptz and ${known}`)}
     union all
     ${newestInputs(`c.known_to > $3::timestamptz and c.ts <= $3::timestamptz and ${known}`)}
   ) as found order by found."assetId", found.ts desc`,
  )

const OBSERVED_INPUTS = pastInputs('c.known_from <= $3::timestamptz')
const PUBLISHED_INPUTS = pastInputs(wasPublished('c', CANDLE_PUBLISHED, '$3::timestamptz'))

const selectInputsAt = asOfStatement(
  'lacks computed value',
  INPUTS,
  3,
  CANDLE_PUBLISHED,
  (known) => `
  select ${INPUTS_LIST} from candle as c
  where c.asset_id = any($1::int[]) and c.timeframe = $2::timeframe and c.ts = $3::timestamptz and ${known('c')}`,
)

/**
 * By the asset's key, what its candle of a window was computed from, in one statement. `ts` null selects the newest stored
 * candle, `asOf` null what is known now. An asset without that candle is not in the map.
 */
export async function loadCandleInputs(
  sql: Sql,
  assetIds: readonly number[],
  { ts, ...wanted }: WantedInputs & { readonly ts: Date | null },
): Promise<ReadonlyMap<number, CandleInputs>> {
  const rows = await (ts === null
    ? loadNewestRows(sql, assetIds, wanted)
    : selectInputsAt(sql, [assetIds, wanted.timeframe, ts], wanted.asOf))
  return new Map(
    rows.map(({ assetId, packed, ...inputs }) => [assetId, { ...inputs, sources: unpackSources(packed) }]),
  )
}

interface WantedInputs {
  readonly timeframe: Timeframe
  readonly asOf: AsOf | null
}

function loadNewestRows(
  sql: Sql,
  assetIds: readonly number[],
  { timeframe, asOf }: WantedInputs,
): Promise<readonly RowOf<typeof INPUTS>[]> {
  if (asOf === null) return sql.rows(NEWEST_INPUTS, [assetIds, timeframe])
  const past = asOf.basis === 'observed' ? OBSERVED_INPUTS : PUBLISHED_INPUTS
  return sql.rows(past, [assetIds, timeframe, asOf.at])
}
