import type { GraphQLSchema } from 'graphql'
import type { GatewayPlugin, IsAnonymous } from './operation-context.js'
import { useCompiledExecution } from './plugins/compiled-execution.js'
import { useDocumentCache } from './plugins/document-cache.js'
import { useDocumentLimits } from './plugins/document-limits.js'
import { useEnumNames } from './plugins/enum-names.js'
import { useFreeWork } from './plugins/free-work.js'
import { useIntrospection } from './plugins/introspection.js'
import { useOutcome } from './plugins/outcome.js'
import { usePlan } from './plugins/plan.js'
import { useSlicedLists } from './plugins/sliced-lists.js'
import { useStreams } from './plugins/streams.js'
import { useVariableChecks } from './plugins/variables.js'
import { FreeWork } from './run/free-work.js'
import { createStreams, type StreamsOptions } from './stream/streams.js'

export interface PluginOptions extends StreamsOptions {
  readonly schema: GraphQLSchema
  /** Finds documents by their hash: persisted documents, or only trusted ones. */
  readonly documents: GatewayPlugin
  readonly isTrustedOnly: boolean
  readonly introspection: 'public' | 'private'
}

/** The gateway's yoga plugins in the order in which they run. */
export function gatewayPlugins(options: PluginOptions): readonly GatewayPlugin[] {
  const { schema, documents, isTrustedOnly, introspection } = options
  // The operator wrote the trusted documents, so the limits for callers without a key do not apply to them.
  const isAnonymous: IsAnonymous = ({ principal }) => !isTrustedOnly && principal.kind === 'anonymous'
  const work = new FreeWork()
  return [
    useFreeWork(work, isAnonymous), // measures all plugins that read the document
    documents, // before all others, which need the text
    useDocumentLimits(isAnonymous), // before the cache, which keeps only documents within the limits
    useEnumNames(schema), // after the limits, whose parser it wraps; before the cache, which keeps its result
    useDocumentCache(isAnonymous),
    useVariableChecks(schema), // before the plan, which reads the variables
    usePlan(schema), // before the plugins that need access and size
    useStreams(createStreams(options)),
    useSlicedLists(), // before compiled execution, which large operations do not use
    useCompiledExecution(schema),
    useIntrospection(introspection, work), // wraps the chosen execution
    useOutcome(), // last, because it reads the final result
  ]
}
