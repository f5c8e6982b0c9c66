import { type DocumentNode, Kind, type ValueNode, visit } from 'graphql'
import { memoizeByObject } from '../../../core/memoize-by-object.js'

/** The values of all arguments `release` of a document. A cached document is visited once. */
const releaseValues = memoizeByObject((document: DocumentNode): readonly ValueNode[] => {
  const values: ValueNode[] = []
  visit(document, {
    Argument: ({ name, value }) => {
      if (name.value === 'release') values.push(value)
    },
  })
  return values
})

/** The releases that the arguments `release` of an operation name. */
export function releaseReferences(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): readonly string[] {
  return releaseValues(document).flatMap((value) => {
    if (value.kind === Kind.STRING) return [value.value]
    const given = value.kind === Kind.VARIABLE ? variables[value.name.value] : null
    return typeof given === 'string' ? [given] : []
  })
}
