import type { GraphQLSchema } from 'graphql'
import type { GatewayPlugin, IsAnonymous } from './operation-context.js'
import { useCompiledExecution } from './plugins/compiled-execution.js'
import { useDocumentCache } from './plugins/document-cache.js'
import { useDocumentLimits } from './plugins/document-limits.js'
import { useEnumNames } from './plugins/enum-names.js'
import { useIntrospection } from './plugins/introspection.js'
import { useOutcome } from './plugins/outcome.js'
import { usePlan } from './plugins/plan.js'
import { useSlicedLists } from './plugins/sliced-lists.js'
import { useStreams } from './plugins/streams.js'
import { useVariableChecks } from './plugins/variables.js'
import { createStreams, type StreamsOptions } from './stream/streams.js'

export interface PluginOptions extends StreamsOptions {
  readonly schema: GraphQLSchema
  /** Finds the document that is asked for by its hash: persisted documents, or trusted ones alone. */
  readonly documents: GatewayPlugin
  readonly isTrustedOnly: boolean
  readonly introspection: 'public' | 'private'
}

/** What the gateway adds to yoga, in the order in which it runs. */
export function gatewayPlugins(options: PluginOptions): readonly GatewayPlugin[] {
  const { schema, documents, isTrustedOnly, introspection } = options
  // Trusted documents are the operator's, whoever asks for them.
  const isAnonymous: IsAnonymous = ({ principal }) => !isTrustedOnly && principal.kind === 'anonymous'
  return [
    documents, // first: all others need the text
    useDocumentLimits(isAnonymous), // before the cache, which keeps only what is within the limits
    useEnumNames(schema), // after the limits, whose parser it wraps; before the cache, which keeps what it returns
    useDocumentCache(isAnonymous),
    useVariableChecks(schema), // before the plan, which reads the variables
    usePlan(schema), // before all that asks what may run and how large it is
    useStreams(createStreams(options)),
    useSlicedLists(), // before execution, which is not compiled for a large operation
    useCompiledExecution(schema),
    useIntrospection(introspection), // around the execution that was chosen
    useOutcome(), // last: it sees what came of all others
  ]
}
