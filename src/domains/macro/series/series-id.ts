import type { MacroProvider, MacroPublisher, SeriesIds } from '../../../core/providers.js'
import type { MacroSeries } from '../../../generated/prisma/client.js'

/** A publisher whose series have identifiers in routes. */
export interface IdPublisher extends MacroPublisher {
  readonly seriesIds: SeriesIds
}

type SeriesKeyParts = Pick<MacroSeries, 'dataset' | 'seriesKey'>

/** BOJ_FM08_FXERD04: the series FXERD04 of the dataset FM08. */
export function toSeriesId(
  { seriesIds: { prefix, separator = '_' } }: IdPublisher,
  { dataset, seriesKey }: SeriesKeyParts,
): string {
  return [prefix, dataset, seriesKey].join(separator)
}

/** The series of an identifier, or null for a malformed one. */
export function parseSeriesId(
  { id, seriesIds: { prefix, separator = '_' } }: IdPublisher,
  text: string,
): (SeriesKeyParts & { readonly provider: MacroProvider }) | null {
  const [given, dataset, ...key] = text.split(separator)
  const seriesKey = key.join(separator)
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
