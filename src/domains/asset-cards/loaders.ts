import { defineSharedLoader } from '../../platform/request/define-loader.js'
import { latestHour } from '../market/latest-model.js'
import { loadCardsBySlug } from './store.js'

/** An asset with its newest consensus and supply, by slug. All slugs that are requested at once share one statement. */
export const cardBySlug = defineSharedLoader({
  load: (slugs: readonly string[], context) => loadCardsBySlug(context.database, slugs, context.now),
  batchKey: (_slug, { now }) => String(latestHour(now)),
})
