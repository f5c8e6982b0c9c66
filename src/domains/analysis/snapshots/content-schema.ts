import { builder } from '../../../schema-kit/builder.js'
import { number, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import {
  AAOIFI_BOUNDS,
  type AaoifiContent,
  isBelowThresholds,
  type RatioInput,
  type RatioReason,
  type Signal,
  type SnapshotContent,
} from '../model.js'

export const SignalType = builder.objectRef<Signal>('AnalysisSignal').implement({
  description: 'A figure that an analysis is based on.',
  fields: (t) =>
    shownFields(t, {
      name: text('Name of the figure in snake case, e.g. realised_volatility_30d.'),
      value: t.field({
        type: 'JSON',
        nullable: true,
        description: 'A number or a boolean. Null when it could not be computed.',
        // The scalar's output type has no null.
        resolve: ({ value }) => value as never,
      }),
      unit: text.orNull('Unit, e.g. fraction, USD, days. Null for a plain number or a boolean.'),
      threshold: number.orNull(
        'Published bound that the value is compared with. Null when the figure has no bound.',
      ),
    }),
})

const RatioInputType = builder.objectRef<RatioInput>('RatioInput').implement({
  description:
    'One figure that went into a ratio, and its source. A figure that is a sum has one entry for each part.',
  fields: (t) =>
    shownFields(t, {
      ratio: text('Name of the ratio.'),
      figure: text('Name of the figure, e.g. total_debt_usd.'),
      value: number.orNull('Value, in `unit`. Null when it is missing.'),
      unit: t.string({ description: 'Unit of the value: USD.', resolve: ({ unit }) => unit ?? 'USD' }),
      tag: text.orNull(
        'Tag of the figure in the filing, e.g. us-gaap:LongTermDebt. Null for a computed or missing figure.',
      ),
      filing: text.orNull('Accession number of the filing. Null for a computed or missing figure.'),
      form: text.orNull('Type of that filing, e.g. 10-K. Null for a computed or missing figure.'),
      period: text.orNull(
        'Period of the value: a day, or the first and last day or month. Null when it is missing.',
      ),
    }),
})

const RatioReasonType = builder.objectRef<RatioReason>('RatioReason').implement({
  description: 'Why a ratio is null.',
  fields: (t) =>
    shownFields(t, {
      ratio: text('Name of the ratio.'),
      reason: text('Which input is missing.'),
    }),
})

const RatioThresholdsType = builder.objectRef<typeof AAOIFI_BOUNDS>('AaoifiThresholds').implement({
  description: 'Published bounds of AAOIFI standard 21. Each ratio is compared with its bound.',
  fields: (t) =>
    shownFields(t, {
      debt_to_market_cap: number('Bound of debt_to_market_cap, a fraction.'),
      cash_to_market_cap: number('Bound of cash_to_market_cap, a fraction.'),
      interest_income_to_revenue: number('Bound of interest_income_to_revenue, a fraction.'),
    }),
})

export const AaoifiRatiosType = builder.objectRef<AaoifiContent>('AaoifiRatios').implement({
  description:
    'The three AAOIFI ratios as fractions: a measurement, never a ruling. A ratio is null when an input is missing.',
  fields: (t) =>
    shownFields(t, {
      debt_to_market_cap: number.orNull('Interest-bearing debt to market capitalisation; bound 0.33.'),
      cash_to_market_cap: number.orNull(
        'Cash, equivalents and short-term investments to market capitalisation; bound 0.33.',
      ),
      interest_income_to_revenue: number.orNull('Interest income to revenue; bound 0.05.'),
      thresholds: t.field({
        type: RatioThresholdsType,
        description: 'The bound of each ratio.',
        resolve: () => AAOIFI_BOUNDS,
      }),
      below_thresholds: t.boolean({
        nullable: true,
        description: 'Whether every ratio is below its bound. Null when a ratio is missing.',
        resolve: isBelowThresholds,
      }),
      inputs: shownAs([RatioInputType])('The figures behind the ratios.'),
      reasons: t.field({
        type: [RatioReasonType],
        description: 'Why ratios are null. Empty when no ratio is null, and always empty in AI analyses.',
        resolve: ({ reasons }) => reasons ?? [],
      }),
    }),
})

export const SnapshotContentType = builder.objectRef<SnapshotContent>('SnapshotContent').implement({
  description: 'Content of a snapshot: facts and figures without target, verdict or recommendation.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      summary: text('Text of the analysis.'),
      sentiment_score: number.orNull('Score from -1 to 1. Null when the analysis has no score.'),
      signals: shownAs([SignalType])('The figures that the analysis is based on.'),
      aaoifi: t.field({
        type: AaoifiRatiosType,
        nullable: true,
        description: 'AAOIFI ratios of a halal_analysis. Null for other types of analysis.',
        resolve: ({ aaoifi }) => aaoifi ?? null,
      }),
    }),
})
