import { describedEnum } from './described-enum.js'
import { type ArgBuilder, hints } from './fields.js'

const SortOrderType = describedEnum(
  'SortOrder',
  'Direction of an order. Entries without a value are last in both.',
  {
    asc: 'From the smallest to the largest, A to Z, the oldest first.',
    desc: 'From the largest to the smallest, Z to A, the newest first.',
  },
)

/** The direction of a list that has `sort`. */
export const sortOrderArgument = (arg: ArgBuilder) =>
  arg({
    type: SortOrderType,
    description: 'Direction of `sort`.',
    ...hints({ example: 'desc', defaultText: 'asc' }),
  })
