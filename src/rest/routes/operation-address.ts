/** Where the operation of a root field is served. */
export function operationPath(field: string): string {
  return `/v1/operations/${field}.graphql`
}

/** The header that leads from an answer of a route to its operation (RFC 8288), as name and value. */
export function operationLink(field: string): readonly string[] {
  return ['link', `<${operationPath(field)}>; rel="alternate"; type="application/graphql"`]
}
