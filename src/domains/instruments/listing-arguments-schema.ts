import { type ArgBuilder, hints } from '../../schema-kit/fields.js'
import { MIC_HINTS } from '../../schema-kit/shared-arguments.js'

/** The arguments that select a listing of a stock. */
export const listingArguments = (arg: ArgBuilder) => ({
  ticker: arg.string({
    required: true,
    description: 'Ticker of the stock, upper or lower case.',
    ...hints({ example: 'AAPL', maxLength: 20 }),
  }),
  mic: arg.string({
    description: 'Market of the listing (ISO 10383). Required if several markets list the ticker.',
    ...MIC_HINTS,
  }),
})
