import type { MacroSeries } from '../../../generated/prisma/client.js'

type SeriesKeyParts = Pick<MacroSeries, 'dataset' | 'seriesKey'>

/** WS_TC.Q.US.P.A.M.770.A: the series Q.US.P.A.M.770.A of the dataset WS_TC. No dataset of a publisher contains a dot. */
export function toMacroKey({ dataset, seriesKey }: SeriesKeyParts): string {
  return `${dataset}.${seriesKey}`
}

/** The dataset and the series of a key; null for a key without a dot or without one of them. */
export function parseMacroKey(key: string): SeriesKeyParts | null {
  const [dataset = '', ...parts] = key.split('.')
  const seriesKey = parts.join('.')
  return dataset === '' || seriesKey === '' ? null : { dataset, seriesKey }
}
