import {
  type ASTVisitor,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  getNamedType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type ValidationContext,
  VariablesInAllowedPositionRule,
} from 'graphql'
import { isTextEnum } from '../../../schema-kit/text-enum.js'

/**
 * graphql's rule for variables, but a text enum also accepts a String variable, because older clients declare it as String,
 * and a String also accepts a UUID variable, because arguments that take a UUID are Strings.
 */
export function variablesInAllowedPosition(context: ValidationContext): ASTVisitor {
  const getRecursiveVariableUsages: ValidationContext['getRecursiveVariableUsages'] = (operation) => {
    const declared = new Map(
      (operation.variableDefinitions ?? []).map(({ variable, type }) => [
        variable.name.value,
        typeFromAST(context.getSchema(), type),
      ]),
    )
    return context.getRecursiveVariableUsages(operation).map((usage) => {
      const variable = declared.get(usage.node.name.value)
      if (usage.type == null || !isInputType(variable)) return usage
      const [expected, given] = [getNamedType(usage.type), getNamedType(variable)]
      const isText = given === GraphQLString && isTextEnum(expected)
      const isUuid = given.name === 'UUID' && expected === GraphQLString
      return isText || isUuid ? { ...usage, type: withNamedType(usage.type, given) } : usage
    })
  }
  return VariablesInAllowedPositionRule(
    Object.create(context, { getRecursiveVariableUsages: { value: getRecursiveVariableUsages } }),
  )
}

/** The same lists and nullability around another type. */
function withNamedType(type: GraphQLInputType, named: GraphQLInputType): GraphQLInputType {
  if (isNonNullType(type)) return new GraphQLNonNull(withNamedType(type.ofType, named))
  return isListType(type) ? new GraphQLList(withNamedType(type.ofType, named)) : named
}
