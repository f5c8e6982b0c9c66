import type { DatasetState } from '../../platform/database/data-version.js'

const UNKNOWN = 'Not known'

/** On what terms a dataset may be used: those of its parts, each once. */
export function licenceOf({ parts }: DatasetState): string {
  const licences = new Set(parts.map(({ licence }) => licence ?? UNKNOWN))
  return licences.size === 0 ? UNKNOWN : [...licences].join('; ')
}
