import type { MacroProvider, RoutedPublisher, SeriesIds } from '../../../core/providers.js'
import type { MacroSeries } from '../../../generated/prisma/client.js'

/** A publisher whose series have identifiers in routes. */
export interface IdPublisher extends RoutedPublisher {
  readonly seriesIds: SeriesIds
}

type SeriesKeyParts = Pick<MacroSeries, 'dataset' | 'seriesKey'>

/** BOJ_FM08_FXERD04: the series FXERD04 of the dataset FM08. */
export function toSeriesId(
  { seriesIds: { prefix } }: IdPublisher,
  { dataset, seriesKey }: SeriesKeyParts,
): string {
  return [prefix, dataset, seriesKey].join('_')
}

/** The series of an identifier, or null for a malformed one. */
export function parseSeriesId(
  { id, seriesIds: { prefix } }: IdPublisher,
  text: string,
): (SeriesKeyParts & { readonly provider: MacroProvider }) | null {
  const [given, dataset, ...key] = text.split('_')
  const seriesKey = key.join('_')
  if (given !== prefix || !dataset || seriesKey === '') return null
  return { provider: id, dataset, seriesKey }
}

/** The name of a series, or its identifier if the publisher gives no name. */
export function descriptionOf(
  publisher: IdPublisher,
  series: Pick<MacroSeries, 'dataset' | 'seriesKey' | 'description'>,
): string {
  return series.description ?? toSeriesId(publisher, series)
}
