import { defineLoader } from '../../platform/request/loaders/define-loader.js'
import { countUndelivered, listSlugs, loadEventNames } from './webhook-store.js'

/** Number of undelivered events of a webhook, null when it has none; one statement for all webhooks of a list. */
export const undeliveredLoader = defineLoader((webhookIds: readonly string[], { database }) =>
  countUndelivered(database, webhookIds),
)

/** The change and the type of an event; one statement for all events of a page. */
export const eventNamesLoader = defineLoader((diffIds: readonly number[], { database }) =>
  loadEventNames(database, diffIds),
)

const idsText = (assetIds: readonly number[]) => assetIds.join(' ')

/** Slugs of the assets that a webhook is narrowed to, in their order; one statement for all webhooks of a list. */
export const slugsLoader = defineLoader<readonly number[], readonly string[]>(async (lists, { database }) => {
  const assets = await listSlugs(database.prisma, [...new Set(lists.flat())])
  return new Map(
    lists.map((assetIds) => {
      const wanted = new Set(assetIds)
      return [idsText(assetIds), assets.flatMap(({ assetId, slug }) => (wanted.has(assetId) ? [slug] : []))]
    }),
  )
}, idsText)
