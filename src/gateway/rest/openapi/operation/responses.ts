import type { JsonSchema } from '../json-schema.js'

/** Operations by path and lower-case method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>

/** A real request and its response. */
export interface AnswerExample {
  readonly request: string
  readonly answer: unknown
}

/** Parses the request of an example: target and, for POST, the body. */
export function exampleRequest({ request }: AnswerExample): {
  readonly target: string
  readonly body: object | null
} {
  const [, target = '', body] = /^\S+ (\S+)(?: (.+))?$/.exec(request) ?? []
  return { target, body: body === undefined ? null : JSON.parse(body) }
}

/** Adds the example of each operation to the JSON of its success. */
export function withAnswerExamples(paths: Paths, examples: Readonly<Record<string, AnswerExample>>): Paths {
  const withExample = (operation: JsonSchema): JsonSchema => {
    const example = examples[String(operation.operationId)]
    return example === undefined ? operation : { ...operation, responses: withExampleOf(operation, example) }
  }
  const entries = Object.entries(paths).map(([path, operations]) => {
    const withExamples = Object.entries(operations).map(([method, operation]) => [
      method,
      withExample(operation),
    ])
    return [path, Object.fromEntries(withExamples)] as const
  })
  return Object.fromEntries(entries)
}

function withExampleOf({ responses }: JsonSchema, { request, answer }: AnswerExample): JsonSchema {
  // The operation's builder created the responses, so the first is the success, with content.
  const all = responses as Readonly<Record<string, { readonly content: JsonSchema }>>
  const [[status, success] = []] = Object.entries(all)
  const json = success?.content['application/json']
  if (status === undefined || success === undefined || json === undefined) return all
  const examples = { seed: { summary: request, value: answer } }
  return {
    ...all,
    [status]: { ...success, content: { ...success.content, 'application/json': { ...json, examples } } },
  }
}
