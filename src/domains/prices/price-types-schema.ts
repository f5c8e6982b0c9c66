import { decimal } from '../../core/decimal.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { day, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { type AdjustingAction, fractionToJsonNumber } from './adjustment-model.js'

export const AdjustmentType = describedEnum('PriceAdjustment', 'What prices are adjusted for.', {
  none: 'Nothing: adjusted_close and factor are null.',
  splits: 'Splits and reverse splits.',
  all: 'Splits, reverse splits, spin-offs and cash dividends.',
})

const PriceActionKind = describedEnum('PriceActionType', 'Kind of an action that may move a price.', {
  split: 'One share became several.',
  reverse_split: 'Several shares became one.',
  merger: 'The company merged with another one or acquired it. It has no factor.',
  spin_off: 'Shareholders received shares of a part of the company.',
  dividend: 'A cash dividend.',
})

export const PriceActionType = builder.objectRef<AdjustingAction>('PriceAction').implement({
  description: 'A corporate action or dividend for which earlier prices are adjusted.',
  fields: (t) =>
    shownFields(t, {
      action_type: shownAs(PriceActionKind)('Kind of the action.', 'actionType'),
      ex_date: day(
        'First day on which the share trades after the action. Prices before it are adjusted.',
        'exDate',
      ),
      ratio: t.float({
        nullable: true,
        description:
          'Of a split: shares after it per share before it. Of a spin-off: value of a share after it per value before it. Null if unknown, and for other actions.',
        resolve: ({ ratio }) => (ratio === null ? null : decimal(ratio).toNumber()),
      }),
      amount: t.float({
        nullable: true,
        description: 'Of a dividend: amount per share in `currency`, as paid. Null for other actions.',
        resolve: ({ amount }) => (amount === null ? null : decimal(amount).toNumber()),
      }),
      currency: text.orNull('Of a dividend: currency of the amount (ISO 4217). Null for other actions.'),
      factor: t.float({
        nullable: true,
        description:
          'Factor of the prices before ex_date: 1 / ratio of a split, ratio of a spin-off, 1 − amount / close of the trading day before of a dividend. Null if prices are not adjusted for the action.',
        resolve: ({ factor }) => (factor === null ? null : fractionToJsonNumber(factor)),
      }),
      not_adjusted_reason: text.orNull(
        'Why prices are not adjusted for the action. Null if they are.',
        'notAdjustedReason',
      ),
    }),
})
