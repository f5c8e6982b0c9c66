import { builder } from '../../graphql/builder.js'
import { type ArgBuilder, hints } from '../../graphql/fields.js'
import { CANDLE_DEFAULT_DAYS, CANDLE_LIMITS } from './candle-query-service.js'
import { TIMEFRAMES } from './model.js'

export const ConsensusStatusType = builder.enumType('ConsensusStatus', {
  description: 'Whether enough exchanges agreed on a price.',
  values: {
    ok: { value: 'ok', description: 'At least three exchanges were left after exclusions.' },
    insufficient_sources: {
      value: 'insufficient_sources',
      description: 'Fewer than three were left: no price.',
    },
  } as const,
})

export const candleArguments = (arg: ArgBuilder) => ({
  timeframe: arg.string({
    defaultValue: '1d',
    description: 'Length of a window: 1h (needs ohlcv:intraday) or 1d.',
    ...hints({ example: '1d', values: TIMEFRAMES }),
  }),
  from: arg({
    type: 'DateTime',
    description: 'First instant: the window that holds it is the first. A day alone means its start.',
    ...hints({ defaultText: `${CANDLE_DEFAULT_DAYS} days before \`to\``, example: '2026-11-01T00:00:00Z' }),
  }),
  to: arg({
    type: 'DateTime',
    description:
      'Last instant: the last window is the last that has ended by then. A day alone means its start.',
    ...hints({ defaultText: 'now', example: '2026-11-20T00:00:00Z' }),
  }),
  limit: arg.int({
    defaultValue: CANDLE_LIMITS.default,
    description: 'Most candles of an answer: of more windows the newest are given.',
    ...hints({ minimum: CANDLE_LIMITS.min, maximum: CANDLE_LIMITS.max }),
  }),
  as_of: arg({
    type: 'DateTime',
    description: 'Gives what was known at this instant, before later revisions. Not in the future.',
    ...hints({ defaultText: 'now', example: '2026-11-20T00:00:00Z' }),
  }),
})
