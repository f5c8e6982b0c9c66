import { argumentsByPlace, type RestEndpoint } from '../routes/rest-route.js'
import type { JsonSchema } from './json-schema.js'
import { createParameter } from './operation/request.js'
import { componentReference } from './types.js'

/** A component for one use would be longer than the parameter in its place. */
const MIN_USES = 2

/** The parameters that many routes have in the same form, by name. Each is one component of the short document. */
export function sharedParameters(endpoints: readonly RestEndpoint[]): Readonly<Record<string, JsonSchema>> {
  const uses = new Map<string, { readonly parameter: JsonSchema; count: number }>()
  for (const endpoint of endpoints) {
    const { path, query } = argumentsByPlace(endpoint)
    const parameters = [
      ...path.map((argument) => createParameter(argument, 'path')),
      ...query.map((argument) => createParameter(argument, 'query')),
    ]
    for (const parameter of parameters) {
      const text = JSON.stringify(parameter)
      const known = uses.get(text)
      if (known === undefined) uses.set(text, { parameter, count: 1 })
      else known.count += 1
    }
  }
  const shared = [...uses.values()].filter(({ count }) => count >= MIN_USES)
  // The most used form of a name has the component.
  shared.sort((a, b) => a.count - b.count)
  return Object.fromEntries(shared.map(({ parameter }) => [String(parameter.name), parameter]))
}

/** The parameter itself, or a reference to the equal shared one. */
export function shortened(parameter: JsonSchema, shared: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const name = String(parameter.name)
  const isShared = JSON.stringify(shared[name]) === JSON.stringify(parameter)
  return isShared ? componentReference('parameters', name) : parameter
}
