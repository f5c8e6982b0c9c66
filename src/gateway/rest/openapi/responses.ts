import type { JsonSchema } from './json-schema.js'

/** Operations by path and lower-case method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>

/** A real request and its response. */
export interface AnswerExample {
  readonly request: string
  readonly answer: unknown
}

/** Adds the example of each operation to the JSON of its 200. */
export function withAnswerExamples(paths: Paths, examples: Readonly<Record<string, AnswerExample>>): Paths {
  const withExample = (operation: JsonSchema): JsonSchema => {
    const example = examples[String(operation.operationId)]
    return example === undefined ? operation : { ...operation, responses: exampleAt200(operation, example) }
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

function exampleAt200({ responses }: JsonSchema, { request, answer }: AnswerExample): JsonSchema {
  // The operation's builder created the responses, so they have content.
  const { 200: success, ...others } = responses as Readonly<Record<string, { readonly content: JsonSchema }>>
  const json = success?.content['application/json']
  if (success === undefined || json === undefined) return responses as JsonSchema
  const examples = { seed: { summary: request, value: answer } }
  const content = { ...success.content, 'application/json': { ...json, examples } }
  return { 200: { ...success, content }, ...others }
}
