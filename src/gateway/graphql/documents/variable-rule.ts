import {
  type ASTVisitor,
  getNamedType,
  Kind,
  type ValidationContext,
  VariablesInAllowedPositionRule,
} from 'graphql'
import { isTextEnum } from '../../../schema-kit/text-enum.js'

/** graphql's rule for variables, but a text enum also accepts a String variable: older clients declare it as String. */
export function variablesInAllowedPosition(context: ValidationContext): ASTVisitor {
  const getRecursiveVariableUsages: ValidationContext['getRecursiveVariableUsages'] = (operation) => {
    const texts = new Set(
      (operation.variableDefinitions ?? []).flatMap(({ variable, type }) => {
        const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type
        return named.kind === Kind.NAMED_TYPE && named.name.value === 'String' ? [variable.name.value] : []
      }),
    )
    return context.getRecursiveVariableUsages(operation).filter(({ node, type }) => {
      const named = type == null ? null : getNamedType(type)
      return named == null || !isTextEnum(named) || !texts.has(node.name.value)
    })
  }
  return VariablesInAllowedPositionRule(
    Object.create(context, { getRecursiveVariableUsages: { value: getRecursiveVariableUsages } }),
  )
}
