import { defineLoader } from '../../platform/request/define-loader.js'
import { readCardsBySlug } from './store.js'

/** An asset with its newest consensus and supply by its slug; one statement for all that are asked for at once. */
export const cardBySlug = defineLoader((slugs: readonly string[], context) =>
  readCardsBySlug(context.database, slugs, context.now),
)
