import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth'
import { maxDirectivesPlugin } from '@escape.tech/graphql-armor-max-directives'
import { maxTokensPlugin } from '@escape.tech/graphql-armor-max-tokens'
import type { GraphQLError } from 'graphql'
import { ApiError } from '../core/errors.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { Refuse } from '../platform/door-context.js'
import { GRAPHQL_PATH } from './paths.js'

/** Levels of nesting: the deepest useful operation (list, edge, list, edge, leaf) has eight. */
const MAX_DEPTH = 12
/** Aliases in one operation: each root alias is charged, so more would be a burst in disguise. */
const MAX_ALIASES = 30
const MAX_DIRECTIVES = 20
/** The introspection query has about 250; the largest useful operation stays below a thousand. */
const MAX_TOKENS = 1500

/** A refused document is a 400 whatever the client accepts, not a result with errors. */
const limits = <Limit extends object>(limit: Limit) => ({
  ...limit,
  onReject: [
    (_context: unknown, error: GraphQLError) =>
      void Object.assign(error.extensions, { http: { status: 400 } }),
  ],
})

/** Refuses abusive documents while they are parsed and validated, before anything runs. */
export function operationLimits(): readonly DoorPlugin[] {
  return [
    maxTokensPlugin(limits({ n: MAX_TOKENS })),
    maxDepthPlugin(limits({ n: MAX_DEPTH })),
    maxAliasesPlugin(limits({ n: MAX_ALIASES })),
    maxDirectivesPlugin(limits({ n: MAX_DIRECTIVES })),
  ] as readonly DoorPlugin[] // their envelop plugin types are wider than yoga's
}

/**
 * GraphQL bodies must be application/json: forms and plain text can be sent across sites without a preflight.
 */
export function useJsonOnly(options: { readonly refuse: Refuse }): DoorPlugin {
  return {
    onRequest({ request, url, serverContext, endResponse }) {
      if (url.pathname !== GRAPHQL_PATH || request.method !== 'POST') return
      const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
      if (type === 'application/json') return
      const error = new ApiError('unsupported_media_type', {
        message: `Send the operation as application/json${type ? `, not ${type.slice(0, 60)}` : ''}.`,
      })
      endResponse(options.refuse(error, request, serverContext))
    },
  }
}
