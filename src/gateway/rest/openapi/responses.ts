import type { JsonSchema } from './json-schema.js'

/** Operations by path and lower-case method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>

/** A request that was made, and what it got. */
export interface AnswerExample {
  readonly request: string
  readonly answer: unknown
}

/** The operations with the example of their name at the JSON of their 200. */
export function withAnswerExamples(paths: Paths, examples: Readonly<Record<string, AnswerExample>>): Paths {
  const withExample = (operation: JsonSchema): JsonSchema => {
    const example = examples[String(operation.operationId)]
    return example === undefined ? operation : { ...operation, responses: exampleAt200(operation, example) }
  }
  const entries = Object.entries(paths).map(([path, operations]) => {
    const made = Object.entries(operations).map(([method, operation]) => [method, withExample(operation)])
    return [path, Object.fromEntries(made)] as const
  })
  return Object.fromEntries(entries)
}

function exampleAt200({ responses }: JsonSchema, { request, answer }: AnswerExample): JsonSchema {
  // Made by the builder of operations: a response with content.
  const { 200: success, ...others } = responses as Readonly<Record<string, { readonly content: JsonSchema }>>
  const json = success?.content['application/json']
  if (success === undefined || json === undefined) return responses as JsonSchema
  const examples = { seed: { summary: request, value: answer } }
  const content = { ...success.content, 'application/json': { ...json, examples } }
  return { 200: { ...success, content }, ...others }
}
