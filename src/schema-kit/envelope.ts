import type { ObjectRef } from '@pothos/core'
import type { DatasetName } from '../core/datasets.js'
import { ApiError } from '../core/errors.js'
import { type FreshnessKind, type FreshnessStatus, freshnessOf } from '../core/freshness.js'
import type { DatasetState, UsedState } from '../platform/database/data-version.js'
import { commercialUsePort } from '../platform/request/commercial-use.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { type ApiMeta, ApiMetaType, EMPTY_META } from './api-meta.js'
import { builder } from './builder.js'
import { describedEnum } from './described-enum.js'
import type { Types } from './fields.js'

/** How fresh an answer is: the `_meta` of every data endpoint. */
export interface Freshness {
  readonly data_freshness_seconds: number
  readonly last_updated_at: Date
  readonly next_refresh_at: Date
  readonly sources: readonly string[]
  readonly freshness_status: FreshnessStatus
}

/** An enveloped answer: the value, what is known about it, and how fresh it is. */
export interface Envelope<Data> {
  readonly data: Data
  readonly meta: ApiMeta
  readonly _meta: Freshness
}

/** The state of a dataset in this request; 503 while nothing was ever ingested into it. */
export function datasetStateOf(context: RequestContext, dataset: DatasetName): DatasetState {
  const state = context.datasets.get(dataset)
  if (state) return state
  throw new ApiError('service_unavailable', {
    message: `The dataset ${dataset} is empty: nothing was ingested yet.`,
  })
}

/** `_meta` of an answer made from one dataset, or from one observation. */
export function freshness(
  context: RequestContext,
  state: Pick<UsedState, 'observedAt' | 'source' | 'sources'>,
  kind: FreshnessKind,
): Freshness {
  const shown = freshnessOf(kind, state.observedAt, context.now)
  context.validity?.shows(shown)
  const { changesAt: _changesAt, ...fresh } = shown
  return { ...fresh, sources: sourcesOf(state) }
}

function sourcesOf({ source, sources }: Pick<UsedState, 'source' | 'sources'>): readonly string[] {
  return sources ?? [source]
}

/** Whether all sources allow commercial use; null where one does not say and none forbids it. */
function allowsCommercialUse(context: RequestContext, sources: readonly string[]): boolean | null {
  const answers = sources.map(context.ports.get(commercialUsePort))
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}

/** Puts a value into the envelope: source, age and synthetic origin come from the dataset, the rest from `meta`. */
export function envelope<Data>(
  context: RequestContext,
  state: UsedState,
  kind: FreshnessKind,
  data: Data,
  meta: Partial<ApiMeta> = {},
): Envelope<Data> {
  return {
    data,
    meta: {
      ...EMPTY_META,
      data_quality: Array.isArray(data) && data.length === 0 ? 'empty' : 'full',
      freshness_ts: state.observedAt,
      is_dev_dataset: state.isDevDataset,
      source: state.source,
      upstream: state.isDevDataset ? null : state.source,
      licensed_for_commercial_use: allowsCommercialUse(context, sourcesOf(state)),
      ...meta,
    },
    _meta: freshness(context, state, kind),
  }
}

export const FreshnessStatusType = describedEnum(
  'FreshnessStatus',
  'Age of the data against the refresh interval of its kind.',
  {
    fresh: 'Age at most one refresh interval.',
    stale: 'Age above one and at most three refresh intervals.',
    expired: 'Older than three refresh intervals.',
  },
)

/** The members of a `Freshness`, for each type of that shape. */
export const freshnessFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Freshness>) => ({
  data_freshness_seconds: t.exposeInt('data_freshness_seconds', {
    description: 'Age of the newest fact in the answer, seconds, when it was served.',
  }),
  last_updated_at: t.expose('last_updated_at', {
    type: 'DateTime',
    description: 'When the newest fact was published or observed.',
  }),
  next_refresh_at: t.expose('next_refresh_at', {
    type: 'DateTime',
    description: 'When newer facts are due: last_updated_at plus the refresh interval of the kind of data.',
  }),
  sources: t.exposeStringList('sources', { description: 'Providers of the data; `seed` is synthetic.' }),
  freshness_status: t.expose('freshness_status', {
    type: FreshnessStatusType,
    description: 'fresh, stale or expired.',
  }),
})

export const FreshnessType = builder.objectRef<Freshness>('Freshness').implement({
  description: 'How fresh the answer is and where it came from.',
  fields: freshnessFields,
})

const META_FIELD = { type: ApiMetaType, description: 'What is known about the answer.' } as const
const FRESHNESS_FIELD = {
  type: FreshnessType,
  description: 'How fresh the answer is.',
} as const

/** An object type, made by hand or from a Prisma model. */
export type ItemRef<Item> = ObjectRef<Types, Item> & {
  readonly name: string
}

/** Envelope type around one object; a name is given where the object is itself called a response. */
export function defineEnvelope<Item extends object>(item: ItemRef<Item>, name = `${item.name}Response`) {
  return builder.objectRef<Envelope<Item>>(name).implement({
    description: `Envelope around one ${item.name}.`,
    fields: (t) => ({
      data: t.field({
        type: item,
        description: `The ${item.name}.`,
        resolve: (parent) => parent.data as never,
      }),
      meta: t.expose('meta', META_FIELD),
      _meta: t.expose('_meta', FRESHNESS_FIELD),
    }),
  })
}

/** Envelope type around a list of objects; a name is given where the object is itself called an item of a list. */
export function defineListEnvelope<Item extends object>(item: ItemRef<Item>, name = `${item.name}List`) {
  return builder.objectRef<Envelope<readonly Item[]>>(name).implement({
    description: `Envelope around a list of ${item.name}.`,
    fields: (t) => ({
      data: t.field({
        type: [item],
        description: `The page of ${item.name}.`,
        resolve: (parent) => parent.data as never,
      }),
      meta: t.expose('meta', META_FIELD),
      _meta: t.expose('_meta', FRESHNESS_FIELD),
    }),
  })
}
