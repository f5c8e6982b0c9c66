import type { ObjectRef } from '@pothos/core'
import { ApiError } from '../core/errors.js'
import { type DatasetName, type FreshnessKind, type FreshnessStatus, freshnessOf } from '../core/freshness.js'
import type { DatasetState } from '../platform/database/data-version.js'
import { commercialUsePort } from '../platform/request/commercial-use.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { VERSION } from '../platform/version.js'
import { builder, type SchemaTypes } from './builder.js'
import { describedEnum } from './described-enum.js'

/** How fresh an answer is: the `_meta` of every data endpoint. */
export interface Freshness {
  readonly data_freshness_seconds: number
  readonly last_updated_at: Date
  readonly next_refresh_at: Date
  readonly sources: readonly string[]
  readonly freshness_status: FreshnessStatus
}

/** The `meta` of an envelope; what a field does not know is null. */
export interface ApiMeta {
  readonly version: string
  readonly cache_hit: boolean
  readonly ai_generated_at: Date | null
  readonly ai_mode: string | null
  readonly ai_model: string | null
  readonly benchmark_notice: string | null
  readonly computed_at: Date | null
  readonly data_methodology: string | null
  readonly data_quality: 'full' | 'partial' | 'empty' | null
  readonly disclaimer: string | null
  readonly disclaimer_lang_canonical: 'en' | null
  readonly disclaimer_translations: Readonly<Record<string, string>> | null
  readonly fallback_used: boolean | null
  readonly freshness_ts: Date | null
  readonly has_next: boolean | null
  readonly is_dev_dataset: boolean | null
  readonly licensed_for_commercial_use: boolean | null
  readonly locale: string | null
  readonly methodology_version: string | null
  readonly price_type: string | null
  readonly source: string | null
  readonly total: number | null
  readonly upstream: string | null
}

/** An enveloped answer: the value, what is known about it, and how fresh it is. */
export interface Envelope<Data> {
  readonly data: Data
  readonly meta: ApiMeta
  readonly _meta: Freshness | null
}

const EMPTY_META: ApiMeta = {
  version: VERSION,
  cache_hit: false,
  ai_generated_at: null,
  ai_mode: null,
  ai_model: null,
  benchmark_notice: null,
  computed_at: null,
  data_methodology: null,
  data_quality: null,
  disclaimer: null,
  disclaimer_lang_canonical: null,
  disclaimer_translations: null,
  fallback_used: null,
  freshness_ts: null,
  has_next: null,
  is_dev_dataset: null,
  licensed_for_commercial_use: null,
  locale: null,
  methodology_version: null,
  price_type: null,
  source: null,
  total: null,
  upstream: null,
}

/** The state of a dataset in this request; 503 while nothing was ever ingested into it. */
export function stateOf(context: RequestContext, dataset: DatasetName): DatasetState {
  const state = context.datasets.get(dataset)
  if (state) return state
  throw new ApiError('service_unavailable', {
    message: `The dataset ${dataset} is empty: nothing was ingested yet.`,
  })
}

/** `_meta` of an answer made from one dataset, or from one observation. */
export function freshness(
  context: RequestContext,
  state: Pick<DatasetState, 'observedAt' | 'source'>,
  kind: FreshnessKind,
): Freshness {
  const shown = freshnessOf(kind, state.observedAt, context.now)
  context.validity?.shows(shown)
  const { changesAt: _changesAt, ...fresh } = shown
  return { ...fresh, sources: [state.source] }
}

/** Puts a value into the envelope: source, age and synthetic origin come from the dataset, the rest from `meta`. */
export function envelope<Data>(
  context: RequestContext,
  state: DatasetState,
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
      licensed_for_commercial_use: context.ports.get(commercialUsePort)(state.source),
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

export const FreshnessType = builder.objectRef<Freshness>('Freshness').implement({
  description: 'How fresh the answer is and where it came from.',
  fields: (t) => ({
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
  }),
})

export const DataQualityType = describedEnum('DataQuality', 'How much of what was asked for is there.', {
  full: 'Everything asked for is there.',
  partial: 'A part is missing; the nulls show which.',
  empty: 'Nothing matches.',
})

export const ApiMetaType = builder.objectRef<ApiMeta>('ApiMeta').implement({
  description: 'What is known about an answer. Null: does not apply or is not known.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of the gateway.' }),
    cache_hit: t.exposeBoolean('cache_hit', { description: 'True when the answer came from the cache.' }),
    ai_generated_at: t.expose('ai_generated_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the analysis was generated.',
    }),
    ai_mode: t.exposeString('ai_mode', {
      nullable: true,
      description: 'How the analysis was generated: rules or llm.',
    }),
    ai_model: t.exposeString('ai_model', {
      nullable: true,
      description: 'Model that generated the analysis.',
    }),
    benchmark_notice: t.exposeString('benchmark_notice', {
      nullable: true,
      description: 'Notice a benchmark administrator requires.',
    }),
    computed_at: t.expose('computed_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When a derived value was computed.',
    }),
    data_methodology: t.exposeString('data_methodology', {
      nullable: true,
      description: 'How the value was made, in a sentence.',
    }),
    data_quality: t.expose('data_quality', {
      type: DataQualityType,
      nullable: true,
      description: 'full, partial or empty.',
    }),
    disclaimer: t.exposeString('disclaimer', { nullable: true, description: 'What the answer is not.' }),
    disclaimer_lang_canonical: t.exposeString('disclaimer_lang_canonical', {
      nullable: true,
      description: 'Language of the binding disclaimer: en.',
    }),
    disclaimer_translations: t.expose('disclaimer_translations', {
      type: 'JSONObject',
      nullable: true,
      description: 'Unofficial translations of the disclaimer, by language code.',
    }),
    fallback_used: t.exposeBoolean('fallback_used', {
      nullable: true,
      description: 'True when a second choice of source was used.',
    }),
    freshness_ts: t.expose('freshness_ts', {
      type: 'DateTime',
      nullable: true,
      description: 'Same instant as _meta.last_updated_at.',
    }),
    has_next: t.exposeBoolean('has_next', {
      nullable: true,
      description: 'True when a further page exists.',
    }),
    is_dev_dataset: t.exposeBoolean('is_dev_dataset', {
      nullable: true,
      description: 'True for synthetic seed data, false for live data.',
    }),
    licensed_for_commercial_use: t.exposeBoolean('licensed_for_commercial_use', {
      nullable: true,
      description: 'Whether the source allows commercial use; null when it does not say.',
    }),
    locale: t.exposeString('locale', { nullable: true, description: 'Language of the texts in the answer.' }),
    methodology_version: t.exposeString('methodology_version', {
      nullable: true,
      description: 'Version of the method that made derived values.',
    }),
    price_type: t.exposeString('price_type', {
      nullable: true,
      description: 'Kind of price: consensus_vwap.',
    }),
    source: t.exposeString('source', {
      nullable: true,
      description: 'Provider of the data; `seed` is synthetic.',
    }),
    total: t.exposeInt('total', { nullable: true, description: 'Number of matching rows before paging.' }),
    upstream: t.exposeString('upstream', {
      nullable: true,
      description: 'Service the data was fetched from; null for seed data.',
    }),
  }),
})

const META_FIELD = { type: ApiMetaType, description: 'What is known about the answer.' } as const
const FRESHNESS_FIELD = {
  type: FreshnessType,
  nullable: true,
  description: 'How fresh the answer is.',
} as const

/** An object type, made by hand or from a Prisma model. */
export type ItemRef<Item> = ObjectRef<PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>, Item> & {
  readonly name: string
}

/** Envelope type around one object. */
export function envelopeOf<Item extends object>(name: string, item: ItemRef<Item>) {
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

/** Envelope type around a list of objects. */
export function listEnvelopeOf<Item extends object>(name: string, item: ItemRef<Item>) {
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
