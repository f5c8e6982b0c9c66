import { type DocumentNode, type ExecutionResult, type OperationDefinitionNode, print } from 'graphql'
import { ApiError } from '../../../core/errors.js'
import { type GatewayPlugin, operationIn, planIn } from '../operation-context.js'
import { WrittenData } from '../run/answer-text.js'
import { type Introspection, Introspections } from '../run/introspections.js'

/** Who may ask for the schema, and how often: its answers are kept by their text, and new ones are bounded by time. */
export function useIntrospection(
  access: 'public' | 'private',
  introspections = new Introspections(),
): GatewayPlugin {
  return {
    onContextBuilding: ({ context }) => {
      // Answered where the plan is there.
      return () => {
        if (access === 'private' && planIn(context).introspects && context.principal.kind === 'anonymous')
          throw new ApiError('unauthorized')
      }
    },
    onExecute: ({ args, executeFn, setExecuteFn }) => {
      const context = args.contextValue
      const plan = planIn(context)
      if (!plan.introspects) return
      // The schema is answered within the call, whatever is asked beside it.
      if (plan.fields.size > 0) {
        setExecuteFn((asked) => introspections.run(context, () => executeFn(asked)))
        return
      }
      const { document, operation } = operationIn(context)
      setExecuteFn(async (asked): Promise<ExecutionResult> => {
        const key = introspectionOf(document, operation, args.variableValues ?? {})
        const answer = await introspections.answer(key, context, () => executeFn(asked))
        return typeof answer === 'string' ? { data: new WrittenData(answer) } : answer
      })
    },
  }
}

/** Names and variables that decide nothing would be kept once for each text that a client thinks of. */
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
