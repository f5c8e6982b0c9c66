import { execute, type GraphQLSchema } from 'graphql'
import { type GatewayPlugin, plannedContext } from '../operation-context.js'
import { CompiledOperations, compileFixed } from '../run/compiled-operations.js'

/**
 * Runs operations that come again and again as compiled functions, and the others in graphql's executor: those of
 * callers without a key, and large ones, which run in turns. A document of another schema is one of REST's: there are
 * as many as routes, so each is compiled when it first runs.
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
          ? compileFixed(args.schema, document)
          : mayCompile
            ? compiled.of(document)
            : null
      setExecuteFn(run === null ? execute : () => run(planned, variableValues ?? {}))
    },
  }
}
