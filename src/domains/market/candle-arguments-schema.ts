import { describedEnum } from '../../graphql/described-enum.js'
import { type ArgBuilder, hints } from '../../graphql/fields.js'
import { asOfArgument, limitArgument } from '../../graphql/shared-arguments.js'
import { CANDLE_DEFAULT_DAYS, CANDLE_LIMITS } from './candle-query-service.js'
import { TIMEFRAMES } from './model.js'

export const ConsensusStatusType = describedEnum(
  'ConsensusStatus',
  'Whether enough exchanges agreed on a price.',
  {
    ok: 'At least three exchanges were left after exclusions.',
    insufficient_sources: 'Fewer than three were left: no price.',
  },
)

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
  limit: limitArgument(
    arg,
    'Most candles of an answer: of more windows the newest are given.',
    CANDLE_LIMITS,
  ),
  as_of: asOfArgument(arg),
})
