import { execute, type GraphQLSchema } from 'graphql'
import { type GatewayPlugin, plannedContext } from '../operation-context.js'
import { CompiledOperations, compileRouteDocument } from '../run/compiled-operations.js'

/**
 * Runs frequent operations as compiled functions. Graphql's executor runs the others: rare ones, those of callers without a
 * key, and large ones, which run in slices. A document of another schema belongs to a REST route; it is compiled on its
 * first run, because the number of routes is small.
 */
export function useCompiledExecution(schema: GraphQLSchema): GatewayPlugin {
  const compiled = new CompiledOperations(schema)
  return {
    onExecute: ({ args, setExecuteFn }) => {
      const planned = plannedContext(args.contextValue)
      const { document, variableValues } = args
      const mayCompile =
        planned.principal.kind !== 'anonymous' && planned.budget === undefined && !planned.plan.introspects
      const run =
        args.schema !== schema
          ? compileRouteDocument(args.schema, document)
          : mayCompile
            ? compiled.of(document)
            : null
      setExecuteFn(run === null ? execute : () => run(planned, variableValues ?? {}))
    },
  }
}
