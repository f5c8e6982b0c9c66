import AREAS from './areas.json' with { type: 'json' }

/**
 * Names of countries and groups of countries: ISO 3166-1 for countries, codes of the BIS for groups. Countries have the
 * English names of the Unicode CLDR.
 */
export const AREA_NAMES: Readonly<Record<string, string>> = AREAS

/** The name of a country or a group of countries, or its code if the area is new. */
export function areaName(code: string): string {
  return AREA_NAMES[code] ?? code
}
