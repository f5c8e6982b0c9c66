import { type DocumentNode, type ExecutionResult, type OperationDefinitionNode, print } from 'graphql'
import { ApiError } from '../../../core/errors.js'
import { type GatewayPlugin, operationIn, planIn } from '../operation-context.js'
import { WrittenData } from '../run/answer-text.js'
import type { FreeWork } from '../run/free-work.js'
import { type Introspection, Introspections } from '../run/introspections.js'

/** Restricts who may introspect, caches the answers by document text, and limits the time that answers take. */
export function useIntrospection(access: 'public' | 'private', work: FreeWork): GatewayPlugin {
  const introspections = new Introspections(work)
  return {
    onContextBuilding: ({ context }) => {
      // The returned function runs after the plan is set.
      return () => {
        if (access === 'private' && planIn(context).introspects && context.principal.kind === 'anonymous')
          throw new ApiError('unauthorized')
      }
    },
    onExecute: ({ args, executeFn, setExecuteFn }) => {
      const context = args.contextValue
      const plan = planIn(context)
      if (!plan.introspects) return
      // The executor answers introspection fields before it returns, so `run` measures them even next to other fields.
      if (plan.fields.size > 0) {
        setExecuteFn((asked) => introspections.run(context, () => executeFn(asked)))
        return
      }
      const { document, operation } = operationIn(context)
      setExecuteFn(async (asked): Promise<ExecutionResult> => {
        const key = introspectionOf(document, operation, args.variableValues ?? {})
        const answer = await introspections.answer(key, context, () => executeFn(asked))
        return Buffer.isBuffer(answer) ? { data: new WrittenData(answer) } : answer
      })
    },
  }
}

/** Omits a name and variables that do not affect the answer, so that clients cannot fill the cache by varying them. */
function introspectionOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Introspection {
  const hasVariables = (operation.variableDefinitions?.length ?? 0) > 0
  return {
    text: document.loc?.source.body ?? print(document),
    operationName: document.definitions.length > 1 ? (operation.name?.value ?? null) : null,
    variables: hasVariables ? variables : null,
  }
}
