import { describedEnum, textEnum } from '../../../schema-kit/described-enum.js'
import { type ArgBuilder, hints } from '../../../schema-kit/fields.js'
import { asOfArguments, limitArgument } from '../../../schema-kit/shared-arguments.js'
import type { Timeframe } from '../model.js'
import { CANDLE_DEFAULT_DAYS, CANDLE_LIMITS } from './candle-query-service.js'

export const ConsensusStatusType = describedEnum(
  'ConsensusStatus',
  'Whether enough exchanges agreed on a price.',
  {
    ok: 'At least three exchanges remained after exclusions.',
    insufficient_sources: 'Fewer than three exchanges remained, so no price was computed.',
  },
)

export const TimeframeType = textEnum<Timeframe>('Timeframe', 'Length of a candle.', {
  H1: ['1h', 'One hour. Needs ohlcv:intraday.'],
  D1: ['1d', 'One UTC day.'],
})

export const timeframeArgument = (arg: ArgBuilder) =>
  arg({
    type: TimeframeType,
    defaultValue: '1d',
    description: 'Length of a window.',
    ...hints({ example: '1d' }),
  })

export const candleArguments = (arg: ArgBuilder) => ({
  timeframe: timeframeArgument(arg),
  from: arg({
    type: 'DateTime',
    description:
      'The first window is the one that contains this instant. A date without a time means its start.',
    ...hints({ defaultText: `${CANDLE_DEFAULT_DAYS} days before \`to\``, example: '2026-11-01T00:00:00Z' }),
  }),
  to: arg({
    type: 'DateTime',
    description:
      'The last window is the last one that ended by this instant. A date without a time means its start.',
    ...hints({ defaultText: 'now', example: '2026-11-20T00:00:00Z' }),
  }),
  limit: limitArgument(
    arg,
    'Maximum number of candles. A longer range returns its newest candles.',
    CANDLE_LIMITS,
  ),
  ...asOfArguments(arg),
})
