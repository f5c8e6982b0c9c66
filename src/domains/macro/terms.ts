import type { DatasetState } from '../../platform/database/versions/data-version.js'

/** Part of every response with macro series. The English text is binding. */
export const MACRO_DISCLAIMER =
  'For information only, not financial advice. Figures may be revised. The publisher of the data neither reviews nor endorses this service.'

export const MACRO_DISCLAIMER_FR =
  'Traduction non officielle : à titre d’information uniquement, ceci n’est pas un conseil financier. Les chiffres peuvent être révisés. L’éditeur des données ne vérifie ni n’approuve ce service.'

const UNKNOWN = 'Not known'

/** Terms of use of a dataset: the distinct terms of its parts. */
export function licenceOf({ parts }: DatasetState): string {
  const licences = new Set(parts.map(({ licence }) => licence ?? UNKNOWN))
  return licences.size === 0 ? UNKNOWN : [...licences].join('; ')
}
