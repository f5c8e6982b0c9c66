import { VERSION } from '../platform/version.js'
import { builder } from './builder.js'
import { describedEnum } from './described-enum.js'

export const DataQualityType = describedEnum('DataQuality', 'How complete the requested data is.', {
  full: 'All requested data is present.',
  partial: 'Some data is missing; nulls show which.',
  empty: 'No data matches the request.',
})

type MemberType = 'String' | 'Boolean' | 'Int' | 'DateTime' | 'JSONObject' | typeof DataQualityType

interface Member<Value> {
  readonly type: MemberType
  /** Value of the member in a response that does not set it. */
  readonly initial: Value
  readonly description: string
}

function nullable<Value>(type: MemberType, description: string): Member<Value | null> {
  return { type, initial: null, description }
}

const text = (description: string) => nullable<string>('String', description)
const flag = (description: string) => nullable<boolean>('Boolean', description)
const count = (description: string) => nullable<number>('Int', description)
const instant = (description: string) => nullable<Date>('DateTime', description)

/** Every member of `meta` with its type and description, in the order of a response. */
const META_MEMBERS = {
  version: { type: 'String', initial: VERSION, description: 'Version of the gateway.' },
  cache_hit: {
    type: 'Boolean',
    initial: false as boolean,
    description: 'True if the response came from the cache.',
  },
  ai_generated_at: instant('When the analysis was generated.'),
  ai_mode: text('How the analysis was generated: rules or llm.'),
  ai_model: text('Model that generated the analysis.'),
  benchmark_notice: text(
    'Notice that the administrator of a benchmark requires next to its values; null if no provider requires one.',
  ),
  computed_at: instant('When a derived value was computed.'),
  data_methodology: text('How the derived values were computed, in short, with the link of the full method.'),
  data_quality: nullable<'full' | 'partial' | 'empty'>(DataQualityType, 'full, partial or empty.'),
  disclaimer: text('Disclaimer: what the data must not be taken for.'),
  disclaimer_lang_canonical: nullable<'en'>('String', 'Language of the binding disclaimer: en.'),
  disclaimer_translations: nullable<Readonly<Record<string, string>>>(
    'JSONObject',
    'Unofficial translations of the disclaimer by language code.',
  ),
  fallback_used: flag('True if a fallback source was used.'),
  freshness_ts: instant('Same instant as _meta.last_updated_at.'),
  has_next: flag('True if another page follows.'),
  is_dev_dataset: flag('True for synthetic seed data, false for live data.'),
  licensed_for_commercial_use: flag(
    'Whether the source allows commercial use; null if the source does not say.',
  ),
  locale: text('Language of the texts in the response.'),
  methodology_version: text('Version of the method that computed the derived values.'),
  price_type: text(
    'Kind of price: consensus_vwap; exchange_trades for one exchange; monthly_average for commodities; for stocks and ETFs close_unadjusted, close_adjusted_for_splits or close_adjusted_for_splits_and_dividends.',
  ),
  source: text('Provider of the data; `seed` is synthetic.'),
  total: count('Number of matching rows on all pages.'),
  upstream: text('Service that supplied the data; null for seed data.'),
} as const satisfies Readonly<Record<string, Member<unknown>>>

type MetaMembers = typeof META_MEMBERS

/** The `meta` of an envelope; an unknown member is null. */
export type ApiMeta = { readonly [Name in keyof MetaMembers]: MetaMembers[Name]['initial'] }

/** `meta` with the initial value of every member. */
export const EMPTY_META = Object.fromEntries(
  Object.entries(META_MEMBERS).map(([name, { initial }]) => [name, initial]),
) as unknown as ApiMeta // an entry per member

export const ApiMetaType = builder.objectRef<ApiMeta>('ApiMeta').implement({
  description: 'Metadata of the response. A member that is unknown or does not apply is null.',
  fields: (t) =>
    Object.fromEntries(
      Object.entries(META_MEMBERS).map(([name, { type, initial, description }]) => [
        name,
        // The member's type is that of its initial value: see `nullable`.
        t.expose(name as never, { type, nullable: initial === null, description } as never),
      ]),
    ),
})
