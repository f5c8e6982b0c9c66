import { DISCLAIMER_META, derivedMeta } from '../../core/disclaimer.js'
import { stateOfParts, type UsedState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { VIEW_SCOPES } from '../../policy/view-scopes.js'
import { datasetStateOf, defineEnvelope, type Envelope, envelope } from '../../schema-kit/envelope.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../schema-kit/fields.js'
import { listEndpoint } from '../../schema-kit/list-endpoint.js'
import { openDayArguments } from '../../schema-kit/shared-arguments.js'
import { kindOfDataset } from '../datasets/registry-model.js'
import { TimeframeType } from '../market/candles/candle-arguments-schema.js'
import { fixedState, getStarAsset, listStar, noIntegerKey, parseStarFilter } from './service.js'
import type { StarRow } from './store.js'
import type { ServedTable } from './table.js'
import { SERVED_TABLES } from './tables.js'
import { starTypeOf } from './types-schema.js'

const TAG = 'star schema'

const KINDS = { dimension: 'dim', fact: 'fact', satellite: 'sat' } as const

const MAX_ASSET_ID = 2_147_483_647

const ASSET_ID_HINTS = { minimum: 1, maximum: MAX_ASSET_ID, example: 1 } as const

function filtersOf({ kind, columns, endpoint }: ServedTable, arg: ArgBuilder) {
  const { time } = endpoint
  return {
    ...(kind === 'fact' && 'asset_id' in columns
      ? {
          asset_id: arg.int({
            description: 'Only this asset, by its integer key.',
            ...hints(ASSET_ID_HINTS),
          }),
        }
      : {}),
    ...(endpoint.choice?.column === 'timeframe'
      ? {
          timeframe: arg({
            type: TimeframeType,
            description: 'Only windows of this length.',
            ...hints({ defaultText: 'all lengths' }),
          }),
        }
      : {}),
    ...('is_current' in columns
      ? {
          current: arg.boolean({
            defaultValue: true,
            description: 'Current versions only; false: all versions.',
          }),
        }
      : {}),
    ...(time === undefined
      ? {}
      : openDayArguments(arg, `First day of ${time.name} (UTC).`, `Last day of ${time.name} (UTC).`)),
  }
}

/**
 * As old as the first dataset of the view, and synthetic if any of its datasets is. The rows of a view do not name their
 * provider, so all providers of its datasets are named.
 */
function stateOfTable({ reads }: Pick<ServedTable, 'reads'>, context: RequestContext): UsedState {
  const [first] = reads
  if (first === undefined) return fixedState(context)
  const state = datasetStateOf(context, first)
  const used = reads
    .flatMap((name) => context.datasets.get(name) ?? [])
    .map((whole) => stateOfParts(whole, new Set(whole.parts.map(({ part }) => part))))
  return {
    ...state,
    isDevDataset: used.some(({ isDevDataset }) => isDevDataset),
    sources: [...new Set(used.flatMap(({ source, sources }) => sources ?? [source]))],
  }
}

/** Partial if a figure is missing in any row. */
function qualityOf({ columns }: ServedTable, rows: readonly StarRow[]): 'full' | 'partial' | 'empty' {
  if (rows.length === 0) return 'empty'
  const figures = Object.entries(columns).flatMap(([name, { type, isNullable }]) =>
    isNullable && (type === 'numeric' || type === 'bigint' || type === 'jsonb') ? name : [],
  )
  return rows.some((row) => figures.some((name) => row[name] === null)) ? 'partial' : 'full'
}

function envelopeOfRows<Data>(
  table: ServedTable,
  rows: readonly StarRow[],
  data: Data,
  context: RequestContext,
): Envelope<Data> {
  const [first] = table.reads
  const state = stateOfTable(table, context)
  const kind = first === undefined ? 'daily' : kindOfDataset(first, null)
  const version = rows.at(-1)?.methodology_version
  return envelope(context, state, kind, data, {
    data_quality: qualityOf(table, rows),
    methodology_version: typeof version === 'string' ? version : null,
    ...(first === undefined ? { upstream: null } : {}),
    ...(table.kind === 'fact' ? DISCLAIMER_META : {}),
    ...(table.method === undefined ? {} : derivedMeta(table.method, state.changedAt)),
    price_type: table.priceType ?? null,
  })
}

function orderText({ endpoint: { order } }: ServedTable): string {
  return `In the order of ${order.join(', ')}.`
}

for (const table of SERVED_TABLES) {
  const { kind, endpoint, text, reads, view } = table
  const path = `${KINDS[kind]}/${endpoint.path}`
  const scope = VIEW_SCOPES.get(view)
  listEndpoint(`star_${path.replace(/\W/g, '_')}`, {
    summary: endpoint.summary,
    keywords: endpoint.keywords,
    description: `${text} ${orderText(table)} The view star_public.${view} has the same rows in SQL.${
      scope === undefined ? '' : ` Needs ${scope} beside star:read.`
    }`,
    access: 'star:read',
    ...(scope === undefined ? {} : { partScopes: [scope] }),
    path: `/v1/star/${path}`,
    tag: TAG,
    reads,
    errors: reads.length === 0 ? [] : ['service_unavailable'],
    item: starTypeOf(view),
    filters: (arg) => filtersOf(table, arg),
    check: (args, problems, context) => parseStarFilter(table, args, problems, context),
    resolve: async (filter, page, context) => {
      const { rows, total } = await listStar(table, filter, page, context)
      return { envelope: envelopeOfRows(table, rows, rows, context), total }
    },
  })
}

for (const table of SERVED_TABLES.filter(({ view }) => view === 'dim_asset')) {
  queryEndpoint('star_dim_asset', {
    summary: 'One crypto asset',
    keywords: ['dimension row of an asset'],
    description: `The current version of a crypto asset by its integer key, which AssetCard and asset_search give. ${table.text}`,
    access: 'star:read',
    cost: 'metered',
    rest: { method: 'GET', path: '/v1/star/dim/assets/{asset_id}', tag: TAG },
    reads: table.reads,
    errors: ['not_found', 'service_unavailable'],
    type: defineEnvelope(starTypeOf(table.view)),
    args: (arg) => ({
      asset_id: arg.int({
        required: true,
        description: 'Integer key of the asset. A slug in its place is a 404 that says how to find the key.',
        ...hints({ ...ASSET_ID_HINTS, notFoundText: noIntegerKey }),
      }),
    }),
    check: ({ asset_id }) => asset_id,
    resolve: async (assetId, context) => {
      const row = await getStarAsset(assetId, context)
      return envelopeOfRows(table, [row], row, context)
    },
  })
}
