import { fullTextOf, ROUTED_PUBLISHERS } from '../../core/providers.js'
import { datasetStateOf } from '../../schema-kit/envelope.js'
import { hints } from '../../schema-kit/fields.js'
import { seriesEndpoint } from '../../schema-kit/series-endpoint.js'
import { seriesPageArguments } from '../../schema-kit/shared-arguments.js'
import { defineCatalogue } from './catalogue-schema.js'
import { createPageMeta, freshnessOfSeries } from './page-meta-schema.js'
import { seriesGrains } from './series/series-grains-model.js'
import { descriptionOf, type IdPublisher, parseSeriesId } from './series/series-id.js'
import { dayArguments, seriesOptions } from './series/series-options-schema.js'
import { type DayArguments, parseDayQuery } from './series/series-query.js'
import { getSeriesPage, listCatalogue, type SeriesIdQuery } from './service.js'
import { definePublisherTypes } from './types-schema.js'

/** Adds the types, root fields and routes of a publisher whose series have identifiers. */
function definePublisher(publisher: IdPublisher): void {
  const { id, seriesIds } = publisher
  const { prefix, entry, series } = definePublisherTypes(publisher)
  const publisherText = fullTextOf(publisher)
  defineCatalogue(publisher, {
    name: 'catalogue',
    typeName: `${prefix}CatalogueResponse`,
    entry,
    what: `series of ${publisherText}`,
    summary: `Series of ${publisherText}`,
    description: `All available series of ${publisherText}, with unit and frequency.`,
    path: 'series',
    list: (context) => listCatalogue(publisher, context),
  })
  seriesEndpoint(`${id}_series`, {
    ...seriesOptions(publisher, '{series_id}'),
    description: `The observations of one series of ${publisherText}, oldest first, in pages. The catalogue lists the series. A page beyond the last one is empty. An unknown series gets a 404 that suggests a similar one.`,
    type: series,
    args: (arg) => ({
      series_id: arg.string({
        required: true,
        description: 'Identifier of the series in the catalogue.',
        ...hints({ example: seriesIds.example, maxLength: 128 }),
      }),
      ...seriesPageArguments(arg),
      ...dayArguments(arg),
    }),
    check: ({ series_id: seriesId, ...range }: DayArguments & { series_id: string }, context) => ({
      ...parseDayQuery(range, context),
      seriesId,
    }),
    grains: ({ seriesId }: SeriesIdQuery) => {
      const key = parseSeriesId(publisher, seriesId)
      return key === null ? [] : seriesGrains(key)
    },
    resolve: async (query: SeriesIdQuery, context) => {
      datasetStateOf(context, id)
      const page = await getSeriesPage(publisher, query, context)
      const meta = {
        ...createPageMeta(query, page, context),
        seriesId: query.seriesId,
        description: descriptionOf(publisher, page.series),
        start_date: query.startDate,
        end_date: query.endDate,
      }
      return { page, meta, _meta: freshnessOfSeries(page.series, context) }
    },
  })
}

for (const { seriesIds, ...publisher } of ROUTED_PUBLISHERS) {
  if (seriesIds !== undefined) definePublisher({ ...publisher, seriesIds })
}
