import { type ArgBuilder, hints } from './fields.js'
import { cursorArgument } from './shared-arguments.js'
import { flag, text } from './shown-fields.js'

/** What the endpoints of lists of changes have in common. */
export const CHANGE_LIST = {
  isAlwaysRevalidated: true,
  table: { rows: 'items', total: 'total_count' },
  nextCursor: 'next_cursor',
} as const

/** The fields of a page of changes that tell whether another page follows. */
export const NEXT_CHANGES = {
  has_more: flag('Whether older matching items follow.', 'hasMore'),
  next_cursor: text.orNull('Cursor of the next page, with older items. Null on the last page.', 'nextCursor'),
}

/** The arguments of a list of changes that select by arrival. */
export const changeListArguments = (arg: ArgBuilder) => ({
  since: arg({
    type: 'DateTime',
    description: 'Only changes that this gateway recorded at or after this time.',
    ...hints({ example: '2026-11-01T00:00:00Z' }),
  }),
  cursor: cursorArgument(arg, '`next_cursor` of the previous page.'),
})
