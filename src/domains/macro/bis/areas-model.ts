import AREAS from './areas.json' with { type: 'json' }

/** Names of areas at the BIS by code: ISO 3166-1 for countries, codes of the BIS for groups. */
export const BIS_AREAS: Readonly<Record<string, string>> = AREAS
