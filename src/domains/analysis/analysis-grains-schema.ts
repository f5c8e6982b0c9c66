import { type DataPart, grainOf } from '../../platform/database/versions/data-parts.js'
import { type DatasetState, newestOfGrains } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { datasetStateOf } from '../../schema-kit/envelope.js'

/** The analyses of an asset, which have their own data version. */
export function analysisGrain(slug: string): DataPart {
  return grainOf('analysis', slug)
}

/** The state of the analyses, with the age of those of an asset. A 503 while no analysis exists. */
export function analysisStateOf(slug: string, context: RequestContext): DatasetState {
  return newestOfGrains(datasetStateOf(context, 'analysis'), [analysisGrain(slug)])
}
