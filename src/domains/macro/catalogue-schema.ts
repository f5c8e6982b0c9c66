import type { RoutedPublisher } from '../../core/providers.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import {
  datasetStateOf,
  type Freshness,
  FreshnessType,
  freshness,
  type ItemRef,
} from '../../schema-kit/envelope.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import { shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { kindOfDataset } from '../datasets/registry-model.js'
import { licenceOf, MACRO_DISCLAIMER } from './terms.js'

/** A catalogue is complete and has no pages. */
interface Catalogue<Entry> {
  readonly data: readonly Entry[]
  readonly source: string
  readonly license: string
  readonly _meta: Freshness
}

interface CatalogueOptions<Entry extends object> {
  /** Name of the root field after that of the publisher. */
  readonly name: string
  readonly typeName: string
  readonly entry: ItemRef<Entry>
  /** The entries in the plural, with their publisher. */
  readonly what: string
  readonly summary: string
  readonly description: string
  /** Path below that of the publisher. */
  readonly path: string
  list(context: RequestContext): Promise<readonly Entry[]>
}

/** Adds the root field and the route of a catalogue of a publisher. */
export function defineCatalogue<Entry extends object>(
  publisher: RoutedPublisher,
  { name, summary, description, path, list, ...type }: CatalogueOptions<Entry>,
): void {
  const { id, usualEntries } = publisher
  queryEndpoint(`${id}_${name}`, {
    summary,
    keywords: publisher.operationKeywords[name] ?? [],
    description: `${description} The list is complete and has no pages.`,
    access: 'macro:read',
    cost: 'metered',
    reads: [id],
    rest: {
      method: 'GET',
      path: `${publisher.path}/${path}`,
      tag: 'macro',
      table: { rows: 'data', total: 'total' },
    },
    type: catalogueType(publisher, type),
    check: () => null,
    rows: () => usualEntries,
    resolve: async (_input, context) => createCatalogue(await list(context), publisher, context),
  })
}

function createCatalogue<Entry>(
  data: readonly Entry[],
  { id }: RoutedPublisher,
  context: RequestContext,
): Catalogue<Entry> {
  const state = datasetStateOf(context, id)
  return {
    data,
    source: state.source,
    license: licenceOf(state),
    _meta: freshness(context, state, kindOfDataset(id, null)),
  }
}

function catalogueType<Entry extends object>(
  publisher: RoutedPublisher,
  { typeName, entry, what }: Pick<CatalogueOptions<Entry>, 'typeName' | 'entry' | 'what'>,
) {
  return builder.objectRef<Catalogue<Entry>>(typeName).implement({
    description: `All ${what}.`,
    fields: (t) =>
      shownFields(t, {
        data: t.field({
          type: [entry],
          description: `All ${what}, sorted by code.`,
          resolve: ({ data }) => data as never,
        }),
        total: t.int({ description: 'Number of entries in data.', resolve: ({ data }) => data.length }),
        source: text(`Provider of the data: ${publisher.id}, or seed for synthetic data.`),
        license: text('Terms of use of the data.'),
        disclaimer: t.string({
          description: 'The disclaimer. This English text is binding.',
          resolve: () => MACRO_DISCLAIMER,
        }),
        _meta: shownAs(FreshnessType)('Freshness of the data.'),
      }),
  })
}
