import { type DayRange, dayRangeText, NEWEST_DAY } from '../../core/day-range.js'
import { groupBy } from '../../core/group-by.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { OnchainFigures } from './model.js'
import { readOnchainDays } from './store.js'

/** The newest day of an asset; one statement for all that are asked for at once. */
export const newestDayOf = defineSharedLoader<number, OnchainFigures>({
  load: async (assetIds, { database }) => {
    const days = await readOnchainDays(database, assetIds, NEWEST_DAY)
    return new Map(days.map((day) => [String(day.assetId), day]))
  },
  likenessOf: () => '',
})

interface HistoryKey extends DayRange {
  readonly assetId: number
}

const historyText = (key: HistoryKey) => `${key.assetId} ${dayRangeText(key)}`

/** One statement for all assets of a range. */
const histories = defineLoader<HistoryKey, readonly OnchainFigures[]>(async (keys, { database }) => {
  const found = new Map<string, readonly OnchainFigures[]>()
  for (const group of groupBy(keys, dayRangeText).values()) {
    const assetIds = group.map(({ assetId }) => assetId)
    const days = groupBy(await readOnchainDays(database, assetIds, group[0]), ({ assetId }) =>
      String(assetId),
    )
    for (const key of group) found.set(historyText(key), days.get(String(key.assetId)) ?? [])
  }
  return found
}, historyText)

/** Days of an asset within a range, oldest first. */
export async function daysOf(key: HistoryKey, context: RequestContext): Promise<readonly OnchainFigures[]> {
  return (await histories(context).load(key)) ?? []
}
