import { type DayRange, dayRangeText, NEWEST_DAY } from '../../core/day-range.js'
import { groupBy } from '../../core/group-by.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { readFundamentals } from './fundamentals-store.js'
import type { FundamentalsFigures } from './model.js'

/** The newest day of an asset; one statement for all that are asked for at once. */
export const newestFundamentalsOf = defineSharedLoader<number, FundamentalsFigures>({
  load: async (assetIds, { database }) => {
    const days = await readFundamentals(database, assetIds, NEWEST_DAY)
    return new Map(days.map((day) => [String(day.assetId), day]))
  },
  likenessOf: () => '',
})

interface HistoryKey extends DayRange {
  readonly assetId: number
}

const historyText = (key: HistoryKey) => `${key.assetId} ${dayRangeText(key)}`

/** One statement for all assets of a range. */
const histories = defineLoader<HistoryKey, readonly FundamentalsFigures[]>(async (keys, { database }) => {
  const found = new Map<string, readonly FundamentalsFigures[]>()
  for (const group of groupBy(keys, dayRangeText).values()) {
    const assetIds = group.map(({ assetId }) => assetId)
    const days = groupBy(await readFundamentals(database, assetIds, group[0]), ({ assetId }) =>
      String(assetId),
    )
    for (const key of group) found.set(historyText(key), days.get(String(key.assetId)) ?? [])
  }
  return found
}, historyText)

/** Days of an asset within a range, oldest first. */
export async function fundamentalsDaysOf(
  key: HistoryKey,
  context: RequestContext,
): Promise<readonly FundamentalsFigures[]> {
  return (await histories(context).load(key)) ?? []
}
