import type { ObjectRef } from '@pothos/core'
import type { Path } from 'graphql/jsutils/Path.js'
import type { DatasetName } from '../core/datasets.js'
import { ApiError } from '../core/errors.js'
import {
  computeFreshness,
  type FreshnessKind,
  type FreshnessStatus,
  type RefreshedKind,
} from '../core/freshness.js'
import { formatMethod, type Method } from '../core/method.js'
import type { DatasetState, UsedState } from '../platform/database/versions/data-version.js'
import { commercialUsePort } from '../platform/request/commercial-use.js'
import { publicUrlPort } from '../platform/request/public-url.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { type ApiMeta, ApiMetaType, EMPTY_META } from './api-meta.js'
import { builder } from './builder.js'
import { describedEnum } from './described-enum.js'
import type { Types } from './fields.js'
import { type OperationPlan, type PlannedPlace, placesOn } from './operation-plan.js'
import { instant, integer, shownAs, shownFields, texts } from './shown-fields.js'

/** The `_meta` of every data endpoint. */
export interface Freshness {
  readonly data_freshness_seconds: number
  readonly last_updated_at: Date
  /** Null if no newer data is expected. */
  readonly next_refresh_at: Date | null
  readonly sources: readonly string[]
  readonly freshness_status: FreshnessStatus
  /** Rows that a published question leaves out; by default none. */
  readonly undated_rows?: number
}

/** A value with its metadata and freshness. */
export interface Envelope<Data> {
  readonly data: Data
  readonly meta: ApiMeta
  readonly _meta: Freshness
}

/** The state of a dataset in this request; throws 503 if the dataset is empty. */
export function datasetStateOf(context: RequestContext, dataset: DatasetName): DatasetState {
  const state = context.datasets.get(dataset)
  if (state) return state
  throw new ApiError('service_unavailable', {
    message: `The dataset ${dataset} has no data yet. Try again later.`,
  })
}

/** The `_meta` of data that is refreshed. */
export interface RefreshedMeta extends Freshness {
  readonly next_refresh_at: Date
}

type Observed = Pick<UsedState, 'observedAt' | 'source' | 'sources'>

/** Creates the `_meta` of one dataset or one observation. */
export function freshness(context: RequestContext, state: Observed, kind: RefreshedKind): RefreshedMeta
export function freshness(context: RequestContext, state: Observed, kind: FreshnessKind): Freshness
export function freshness(context: RequestContext, state: Observed, kind: FreshnessKind): Freshness {
  const shown = computeFreshness(kind, state.observedAt, context.now)
  context.validity?.shows(shown)
  const { changesAt: _changesAt, ...fresh } = shown
  return { ...fresh, sources: sourcesOf(state) }
}

function sourcesOf({ source, sources }: Pick<UsedState, 'source' | 'sources'>): readonly string[] {
  return sources ?? [source]
}

/** Whether all sources allow commercial use; null if none forbids it but one does not say. */
function allowsCommercialUse(context: RequestContext, sources: readonly string[]): boolean | null {
  const permissions = sources.map(context.ports.get(commercialUsePort))
  if (permissions.includes(false)) return false
  return permissions.includes(null) ? null : true
}

/** The members of `meta` that an answer sets. */
export type AnswerMeta = Partial<Omit<ApiMeta, 'data_methodology'>> & { readonly data_methodology?: Method }

/** Puts a value into an envelope. Source, age and `is_dev_dataset` come from `state`, the rest from `meta`. */
export function envelope<Data>(
  context: RequestContext,
  state: UsedState,
  kind: FreshnessKind,
  data: Data,
  { data_methodology: method, ...meta }: AnswerMeta = {},
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
      data_methodology: method === undefined ? null : formatMethod(method, context.ports.get(publicUrlPort)),
    },
    _meta: freshness(context, state, kind),
  }
}

export const FreshnessStatusType = describedEnum(
  'FreshnessStatus',
  'Age of the data compared with its refresh interval.',
  {
    fresh: 'At most one refresh interval old, or no newer data is expected.',
    stale: 'More than one and at most three refresh intervals old.',
    expired: 'More than three refresh intervals old.',
  },
)

/** The innermost root field or edge that contains the path. */
function knowledgeAt(plan: OperationPlan, path: Path): PlannedPlace | undefined {
  return placesOn(plan, path).findLast((place) => place?.release !== undefined)
}

/** The members of a `Freshness`, for each type of that shape. */
export const freshnessFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Freshness>) =>
  shownFields(t, {
    data_freshness_seconds: integer('Age of the newest data in the response when it was served, in seconds.'),
    last_updated_at: instant('When the newest data was published or observed.'),
    next_refresh_at: instant.orNull(
      'When newer data is due: last_updated_at plus the refresh interval. Null if no newer data is expected, as for candles of months that have ended.',
    ),
    sources: texts('Providers of the data; `seed` is synthetic.'),
    freshness_status: shownAs(FreshnessStatusType)('fresh, stale or expired.'),
    release: t.string({
      nullable: true,
      description: 'The release that the response is read by: the argument `release`. Null without it.',
      resolve: (_freshness, _args, { plan }, { path }) => knowledgeAt(plan, path)?.release ?? null,
    }),
    undated_rows: t.int({
      nullable: true,
      description:
        'Reports that `basis=published` leaves out because they state no day of publication. Null with another basis.',
      resolve: ({ undated_rows = 0 }, _args, { plan }, { path }) =>
        knowledgeAt(plan, path)?.isPublished === true ? undated_rows : null,
    }),
  })

export const FreshnessType = builder.objectRef<Freshness>('Freshness').implement({
  description: 'Freshness and sources of the response.',
  fields: freshnessFields,
})

const META = shownAs(ApiMetaType)('Metadata of the response.')
const FRESHNESS = shownAs(FreshnessType)('Freshness and sources of the response.')

const EnvelopeInterface = builder.interfaceRef<Envelope<unknown>>('Envelope').implement({
  description: 'A response with metadata and freshness around its data.',
  subGraphs: ['Graph'],
  fields: (t) => shownFields(t, { meta: META, _meta: FRESHNESS }),
})

/** An object type, declared by hand or from a Prisma model. */
export type ItemRef<Item> = ObjectRef<Types, Item> & {
  readonly name: string
}

/** Defines the envelope of one object. Pass `name` if the object's own name already ends in "Response". */
export function defineEnvelope<Item extends object>(item: ItemRef<Item>, name = `${item.name}Response`) {
  return builder.objectRef<Envelope<Item>>(name).implement({
    description: `One ${item.name} with metadata and freshness.`,
    interfaces: [EnvelopeInterface],
    fields: (t) => ({
      data: t.field({
        type: item,
        description: `The ${item.name}.`,
        resolve: (parent) => parent.data as never,
      }),
    }),
  })
}

/** Defines the envelope of a list. Pass `name` if the object's own name is already that of a list item. */
export function defineListEnvelope<Item extends object>(item: ItemRef<Item>, name = `${item.name}List`) {
  return builder.objectRef<Envelope<readonly Item[]>>(name).implement({
    description: `A list of ${item.name} with metadata and freshness.`,
    interfaces: [EnvelopeInterface],
    fields: (t) => ({
      data: t.field({
        type: [item],
        description: `The ${item.name} items of this page.`,
        resolve: (parent) => parent.data as never,
      }),
    }),
  })
}
