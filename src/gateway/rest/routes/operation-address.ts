import { OPERATIONS_PATH } from '../../paths.js'

/** The path of a root field's published operation. */
export function operationPath(field: string): string {
  return `${OPERATIONS_PATH}/${field}.graphql`
}

/** The `Link` header from a response to the equivalent GraphQL operation (RFC 8288), as name and value. */
export function operationLink(field: string): readonly string[] {
  return ['link', `<${operationPath(field)}>; rel="alternate"; type="application/graphql"`]
}
