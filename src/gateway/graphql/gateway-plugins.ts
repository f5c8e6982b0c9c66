import type { GraphQLSchema } from 'graphql'
import { useDocumentCache } from './documents/document-cache.js'
import { useDocumentLimits } from './documents/document-limits.js'
import { useEnumNames } from './documents/enum-names.js'
import { useVariableChecks } from './documents/variables.js'
import type { GatewayPlugin, IsAnonymous } from './operation-context.js'
import { usePlan } from './plan/plan.js'
import { useCompiledExecution } from './run/compiled-operations.js'
import { FreeWork, useFreeWork } from './run/free-work.js'
import { useIntrospection } from './run/introspection.js'
import { useOutcome } from './run/outcome.js'
import { useSlicedLists } from './run/sliced-lists.js'
import { createStreams, type StreamsOptions, useStreams } from './stream/streams.js'

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
