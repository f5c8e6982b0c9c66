import { z } from 'zod'
import type { MacroProvider } from '../../../core/providers.js'
import type { MacroSeries } from '../../../domains/macro/model.js'

const Series = z.strictObject({
  dataset: z.string().min(1),
  seriesKey: z.string().min(1),
  country: z.string().min(1).nullable(),
  frequency: z.enum(['annual', 'quarterly', 'monthly', 'daily']),
  unit: z.string().min(1),
  description: z.string().min(1),
  /** Level of the synthetic values, their swing as a fraction of it, and their decimals. */
  synthetic: z.strictObject({
    level: z.number(),
    swing: z.number(),
    decimals: z.int(),
    /** The newest value is provisional at first. */
    isRevised: z.literal(true).exactOptional(),
  }),
})

/** A series that a feed requests from its publisher. */
export interface TrackedSeries extends MacroSeries {
  readonly frequency: z.infer<typeof Series>['frequency']
  readonly unit: string
  readonly description: string
  readonly synthetic: z.infer<typeof Series>['synthetic']
}

/** The `series.json` of a publisher. Throws for a record that is no series. */
export function readSeriesList(provider: MacroProvider, table: unknown): readonly TrackedSeries[] {
  return z
    .array(Series)
    .parse(table)
    .map((series) => ({ ...series, provider, isHeadline: true }))
}
