import { OPERATIONS_PATH } from '../../paths.js'

/** Where the operation of a root field is served. */
export function operationPath(field: string): string {
  return `${OPERATIONS_PATH}/${field}.graphql`
}

/** The header that leads from an answer of a route to its operation (RFC 8288), as name and value. */
export function operationLink(field: string): readonly string[] {
  return ['link', `<${operationPath(field)}>; rel="alternate"; type="application/graphql"`]
}
