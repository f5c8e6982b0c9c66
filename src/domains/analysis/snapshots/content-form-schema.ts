import type { AnswerForm } from '../../../schema-kit/endpoint.js'
import { MAX_SUMMARY_LENGTH } from '../model.js'

const MAX_FIGURES = 1_000

const MAX_TEXT_LENGTH = 1_000

const text = (description: string) => ({ type: 'string', maxLength: MAX_TEXT_LENGTH, description })
const textOrNull = (description: string) => ({ ...text(description), type: ['string', 'null'] })
const numberOrNull = (description: string) => ({ type: ['number', 'null'], format: 'double', description })

const RATIO_INPUT = {
  type: 'object',
  description: 'One figure that went into a ratio, and its source.',
  properties: {
    ratio: text('Name of the ratio.'),
    figure: text('Name of the figure, e.g. total_debt_usd.'),
    value: numberOrNull('Value, in `unit`. Null when it is missing.'),
    unit: text('Unit of the value; USD when omitted.'),
    tag: textOrNull('Tag of the figure in the filing, e.g. us-gaap:LongTermDebt.'),
    filing: textOrNull('Accession number of the filing.'),
    form: textOrNull('Type of that filing, e.g. 10-K.'),
    period: textOrNull('Period of the value: a day, or the first and last day or month.'),
  },
  required: ['ratio', 'figure', 'value', 'filing', 'period'],
}

const AAOIFI = {
  type: 'object',
  description: 'The AAOIFI ratios as fractions, only for halal_analysis: a measurement, never a ruling.',
  properties: {
    debt_to_market_cap: numberOrNull('Interest-bearing debt to market capitalisation; bound 0.33.'),
    cash_to_market_cap: numberOrNull('Cash and equivalents to market capitalisation; bound 0.33.'),
    interest_income_to_revenue: numberOrNull('Interest income to revenue; bound 0.05.'),
    below_thresholds: {
      type: ['boolean', 'null'],
      description: 'Whether every ratio is below its bound. Null when a ratio is missing.',
    },
    inputs: {
      type: 'array',
      maxItems: MAX_FIGURES,
      items: RATIO_INPUT,
      description: 'The figures behind the ratios.',
    },
    reasons: {
      type: 'array',
      maxItems: MAX_FIGURES,
      items: { $ref: '#/components/schemas/RatioReason' },
      description: 'Why ratios are null. Omitted when the reason is not known.',
    },
  },
  required: ['debt_to_market_cap', 'cash_to_market_cap', 'interest_income_to_revenue', 'inputs'],
}

/**
 * The members of `content` as they were hashed. Members that older analyses lack are optional, unlike in the
 * GraphQL type `SnapshotContent`.
 */
export const SNAPSHOT_CONTENT_FORM: AnswerForm = {
  name: 'SnapshotContent',
  schema: {
    type: 'object',
    description: 'Content of a snapshot: facts and figures without target, verdict or recommendation.',
    properties: {
      summary: { type: 'string', maxLength: MAX_SUMMARY_LENGTH, description: 'Text of the analysis.' },
      sentiment_score: {
        ...numberOrNull('Score from -1 to 1. Null when the analysis has no score.'),
        minimum: -1,
        maximum: 1,
      },
      signals: {
        type: 'array',
        maxItems: MAX_FIGURES,
        items: { $ref: '#/components/schemas/AnalysisSignal' },
        description: 'The figures that the analysis is based on.',
      },
      aaoifi: AAOIFI,
    },
    required: ['summary', 'sentiment_score', 'signals'],
  },
}
