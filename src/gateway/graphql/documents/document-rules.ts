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

/** Levels of nesting: the deepest useful operation (list, edge, list, edge, leaf) has eight. */
const MAX_DEPTH = 12
/** Aliases in one operation: each root alias is charged, so more would be a burst in disguise. */
const MAX_ALIASES = 30
const MAX_DIRECTIVES = 20

/** Rules of GraphQL in the form that we have them. */
const REPLACED: ReadonlyMap<ValidationRule, ValidationRule> = new Map<ValidationRule, ValidationRule>([
  [ValuesOfCorrectTypeRule, valuesOfCorrectType],
  [VariablesInAllowedPositionRule, variablesInAllowedPosition],
])

/** The rules of GraphQL and our limits: what they refuse is a 400, and nothing of it runs. */
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

/** A limit of the library that refuses in our words. */
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
 * Introspection is free of charge and has no page limits; what keeps its answer small is that a field without an alias
 * is answered once. No tool for schemas uses aliases in it.
 */
function introspectionWithoutAliases(context: ValidationContext): ASTVisitor {
  const refuse = (node: FieldNode) => {
    if (node.alias === undefined || node.name.value === '__typename') return
    const type = context.getParentType()?.name ?? ''
    if (!type.startsWith('__') && !/^__(schema|type)$/.test(node.name.value)) return
    context.reportError(new GraphQLError('Introspection may have no aliases.', { nodes: node }))
  }
  return { Field: refuse }
}
