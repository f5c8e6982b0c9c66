import { describedEnum, textEnum } from '../../schema-kit/described-enum.js'
import { type ArgBuilder, hints } from '../../schema-kit/fields.js'
import { asOfArgument, limitArgument } from '../../schema-kit/shared-arguments.js'
import { CANDLE_DEFAULT_DAYS, CANDLE_LIMITS } from './candle-query-service.js'
import type { Timeframe } from './model.js'

export const ConsensusStatusType = describedEnum(
  'ConsensusStatus',
  'Whether enough exchanges agreed on a price.',
  {
    ok: 'At least three exchanges were left after exclusions.',
    insufficient_sources: 'Fewer than three were left: no price.',
  },
)

const TimeframeType = textEnum<Timeframe>('Timeframe', 'Length of a candle.', {
  H1: ['1h', 'An hour; needs ohlcv:intraday.'],
  D1: ['1d', 'A UTC day.'],
})

/** The length of a candle. */
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
    description: 'First instant: the window that holds it is the first. A day alone means its start.',
    ...hints({ defaultText: `${CANDLE_DEFAULT_DAYS} days before \`to\``, example: '2026-11-01T00:00:00Z' }),
  }),
  to: arg({
    type: 'DateTime',
    description:
      'Last instant: the last window is the last that has ended by then. A day alone means its start.',
    ...hints({ defaultText: 'now', example: '2026-11-20T00:00:00Z' }),
  }),
  limit: limitArgument(
    arg,
    'Most candles of an answer: of more windows the newest are given.',
    CANDLE_LIMITS,
  ),
  as_of: asOfArgument(arg),
})
