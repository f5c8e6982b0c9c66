import type { MacroSeries } from '../../../generated/prisma/client.js'
import { areaName } from './area-names-model.js'
import NAMES from './series-names.json' with { type: 'json' }

/** Names by provider, dataset and key. `{CC}` is the code of the country, `{country}` its name. */
const SERIES_NAMES: Readonly<Record<string, string>> = NAMES

/** What people call a country within the name of a series. */
const SHORT_NAMES: Readonly<Record<string, string>> = { AE: 'UAE', GB: 'UK', US: 'US' }

type NamedSeries = Pick<MacroSeries, 'provider' | 'dataset' | 'seriesKey' | 'country' | 'description'>

/** What people call a series, such as `US consumer prices (CPI)`. One that has no name here has its title, else its key. */
export function seriesName({ provider, dataset, seriesKey, country, description }: NamedSeries): string {
  const parts = seriesKey.split('.').map((part) => (part === country ? '{CC}' : part))
  const name = SERIES_NAMES[`${provider}/${dataset}/${parts.join('.')}`]
  if (name === undefined) return description ?? `${dataset} ${seriesKey}`
  return country === null ? name : name.replace('{country}', SHORT_NAMES[country] ?? areaName(country))
}
