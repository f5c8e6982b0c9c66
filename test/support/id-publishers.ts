import { ROUTED_PUBLISHERS } from '../../src/core/providers.js'

/** The publishers of macro series that have identifiers in routes, with their catalogues and series. */
export const ID_PUBLISHERS = ROUTED_PUBLISHERS.flatMap(({ seriesIds, ...publisher }) =>
  seriesIds === undefined ? [] : [{ ...publisher, seriesIds }],
)
