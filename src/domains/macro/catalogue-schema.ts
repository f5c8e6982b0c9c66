import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import {
  datasetStateOf,
  type Freshness,
  FreshnessType,
  freshness,
  type ItemRef,
} from '../../schema-kit/envelope.js'
import { shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { kindOfDataset } from '../datasets/registry-model.js'
import type { MacroProvider } from './model.js'
import { licenceOf, MACRO_DISCLAIMER } from './terms.js'

/** A catalogue is complete and has no pages. */
interface Catalogue<Entry> {
  readonly data: readonly Entry[]
  readonly source: string
  readonly license: string
  readonly _meta: Freshness
}

export function createCatalogue<Entry>(
  data: readonly Entry[],
  provider: MacroProvider,
  context: RequestContext,
): Catalogue<Entry> {
  const state = datasetStateOf(context, provider)
  const kind = kindOfDataset(provider, null)
  return {
    data,
    source: state.source,
    license: licenceOf(state),
    _meta: freshness(context, state, kind),
  }
}

/** The type of a catalogue. `what` names its entries in the plural. */
export function catalogueType<Entry extends object>(
  name: string,
  { type, provider, what }: { type: ItemRef<Entry>; provider: MacroProvider; what: string },
) {
  return builder.objectRef<Catalogue<Entry>>(name).implement({
    description: `All ${what}.`,
    fields: shownFields((t) => ({
      data: t.field({
        type: [type],
        description: `All ${what}, sorted by code.`,
        resolve: ({ data }) => data as never,
      }),
      total: t.int({ description: 'Number of entries in data.', resolve: ({ data }) => data.length }),
      source: text(`Provider of the data: ${provider}, or seed for synthetic data.`),
      license: text('Terms of use of the data.'),
      disclaimer: t.string({
        description: 'The disclaimer. This English text is binding.',
        resolve: () => MACRO_DISCLAIMER,
      }),
      _meta: shownAs(FreshnessType)('Freshness of the data.'),
    })),
  })
}

/** The assumed number of entries for pricing edges of a catalogue: above the countries of the BIS and the series of a bank's feed. */
const USUAL_ENTRIES: Readonly<Record<MacroProvider, number>> = { bis: 200, boj: 40, bok: 40 }

/** The settings that the endpoints of all macro catalogues share. */
export function catalogueEndpoint(provider: MacroProvider) {
  return {
    access: 'macro:read',
    cost: 'metered',
    reads: [provider],
    check: () => null,
    rows: () => USUAL_ENTRIES[provider],
  } as const
}

export function catalogueRoute(path: string) {
  return { method: 'GET', path, tag: 'macro', table: { rows: 'data', total: 'total' } } as const
}
