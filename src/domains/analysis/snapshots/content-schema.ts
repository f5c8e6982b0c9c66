import { builder } from '../../../graphql/builder.js'
import {
  type AaoifiContent,
  isBelowThresholds,
  type RatioInput,
  type Signal,
  type SnapshotContent,
} from '../model.js'

const SignalType = builder.objectRef<Signal>('AnalysisSignal').implement({
  description: 'A figure that an analysis rests on.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Snake case, e.g. realised_volatility_30d.' }),
    value: t.field({
      type: 'JSONValue',
      nullable: true,
      description: 'A number or a truth value. Null: could not be computed.',
      // The scalar's output type has no null.
      resolve: ({ value }) => value as never,
    }),
    unit: t.exposeString('unit', {
      nullable: true,
      description: 'E.g. fraction, USD, days. Null for a plain number or a truth value.',
    }),
    threshold: t.exposeFloat('threshold', {
      nullable: true,
      description: 'The published bound that the value is read against. Null where there is none.',
    }),
  }),
})

const RatioInputType = builder.objectRef<RatioInput>('RatioInput').implement({
  description: 'One figure that went into a ratio, and its source.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    ratio: t.exposeString('ratio', { description: 'Name of the ratio.' }),
    figure: t.exposeString('figure', { description: 'Name of the figure, e.g. total_debt_usd.' }),
    value: t.exposeFloat('value', { nullable: true, description: 'Value, USD. Null where it is missing.' }),
    filing: t.exposeString('filing', { nullable: true, description: 'Filing it was read from.' }),
    period: t.exposeString('period', { nullable: true, description: 'Period of the filing.' }),
  }),
})

const RatiosType = builder.objectRef<AaoifiContent>('AaoifiRatios').implement({
  description:
    'The three AAOIFI ratios as fractions: a measurement, never a ruling. Null: an input is missing.',
  subGraphs: ['Graph'],
  fields: (t) => {
    const ratio = (description: string) => ({ nullable: true, description }) as const
    return {
      debt_to_market_cap: t.exposeFloat('debt_to_market_cap', ratio('Interest-bearing debt; bound 0.33.')),
      cash_to_market_cap: t.exposeFloat('cash_to_market_cap', ratio('Cash and equivalents; bound 0.33.')),
      interest_income_to_revenue: t.exposeFloat(
        'interest_income_to_revenue',
        ratio('Interest income; bound 0.05.'),
      ),
      below_thresholds: t.boolean({
        nullable: true,
        description: 'Whether every ratio is below its bound. Null while a ratio is missing.',
        resolve: isBelowThresholds,
      }),
      inputs: t.expose('inputs', { type: [RatioInputType], description: 'The figures behind the ratios.' }),
    }
  },
})

export const SnapshotContentType = builder.objectRef<SnapshotContent>('SnapshotContent').implement({
  description: 'What a snapshot says: facts and figures, no target, no verdict, no recommendation.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    summary: t.exposeString('summary', { description: 'The analysis in words.' }),
    sentiment_score: t.exposeFloat('sentiment_score', {
      nullable: true,
      description: 'From -1 to 1. Null where it was not scored.',
    }),
    signals: t.expose('signals', { type: [SignalType], description: 'The figures it rests on.' }),
    aaoifi: t.field({
      type: RatiosType,
      nullable: true,
      description: 'For halal_analysis. Null for the other kinds.',
      resolve: ({ aaoifi }) => aaoifi ?? null,
    }),
  }),
})
