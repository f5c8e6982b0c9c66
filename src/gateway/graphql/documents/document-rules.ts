import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives'
import {
  type ASTVisitor,
  type FieldNode,
  GraphQLError,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
} from 'graphql'
import { ApiError } from '../../../core/errors.js'
import { valuesOfCorrectType } from './literal-rule.js'
import { variablesInAllowedPosition } from './variable-rule.js'

/** Maximum nesting. The deepest useful operation (list, edge, list, edge, leaf) has eight levels. */
const MAX_DEPTH = 12
/** Maximum number of aliases. Each root alias runs and costs like a separate request. */
const MAX_ALIASES = 30
const MAX_DIRECTIVES = 20

/** Standard rules that the gateway replaces by its own versions. */
const REPLACED: ReadonlyMap<ValidationRule, ValidationRule> = new Map<ValidationRule, ValidationRule>([
  [ValuesOfCorrectTypeRule, valuesOfCorrectType],
  [VariablesInAllowedPositionRule, variablesInAllowedPosition],
])

/** The rules of GraphQL and the gateway's limits. A document that breaks one is a 400 and does not run. */
export const DOCUMENT_RULES: readonly ValidationRule[] = [
  ...specifiedRules.map((rule) => REPLACED.get(rule) ?? rule),
  limit(
    (options) => maxDepthRule({ ...options, n: MAX_DEPTH }),
    `be nested at most ${MAX_DEPTH} levels deep`,
  ),
  limit((options) => maxAliasesRule({ ...options, n: MAX_ALIASES }), `have at most ${MAX_ALIASES} aliases`),
  limit(
    (options) => maxDirectivesRule({ ...options, n: MAX_DIRECTIVES }),
    `have at most ${MAX_DIRECTIVES} directives`,
  ),
  introspectionWithoutAliases,
]

interface LimitOptions {
  readonly onReject: [() => void]
}

/** Wraps a limit of the library, so that its error has the gateway's own message. */
function limit(
  make: (options: LimitOptions) => (context: ValidationContext) => object,
  may: string,
): ValidationRule {
  const refuse = () => {
    throw new ApiError('bad_request', { message: `An operation may ${may}.` })
  }
  // The library types its visitors more widely than graphql does.
  return (context) => make({ onReject: [refuse] })(context) as ASTVisitor
}

/**
 * Introspection is free of charge and has no page limits. Its response stays small because a field without an alias
 * appears only once. No schema tool uses aliases in introspection.
 */
function introspectionWithoutAliases(context: ValidationContext): ASTVisitor {
  const refuse = (node: FieldNode) => {
    if (node.alias === undefined || node.name.value === '__typename') return
    const type = context.getParentType()?.name ?? ''
    if (!type.startsWith('__') && !/^__(schema|type)$/.test(node.name.value)) return
    context.reportError(
      new GraphQLError('Introspection fields must not have aliases; remove the alias.', { nodes: node }),
    )
  }
  return { Field: refuse }
}
