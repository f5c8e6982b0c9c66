import { type DocumentNode, getVariableValues, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { ANSWER_EXAMPLES } from '../../../../src/gateway/rest/openapi/answer-examples.js'
import { exampleOperations } from '../../../../src/gateway/rest/openapi/example-variables.js'
import { restSchema } from '../../../../src/schema.js'

const definitionOf = (document: DocumentNode): OperationDefinitionNode => {
  const [definition] = document.definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation')
  return definition
}

/** Names something that an analysis made, so that no value is right for all readers. */
const WITHOUT_EXAMPLE = ['Variable "$snapshot_id" of required type "String!" was not provided.']

describe('the variables of the published operations', async () => {
  const operations = await exampleOperations(restSchema, ANSWER_EXAMPLES)
  const variablesOf = (name: string) => operations.find((operation) => operation.name === name)?.variables

  it.each(operations.map(({ name, text, variables }) => ({ name, text, variables })))(
    '$name: are declared, and values that it takes, as JSON',
    ({ text, variables }) => {
      const sent = JSON.parse(JSON.stringify(variables))
      const declared = definitionOf(parse(text)).variableDefinitions ?? []
      expect(declared.map(({ variable }) => variable.name.value)).toEqual(
        expect.arrayContaining(Object.keys(sent)),
      )
      const { errors = [] } = getVariableValues(restSchema, declared, sent)
      const problems = errors.map(({ message }) => message)
      expect(problems.filter((message) => !WITHOUT_EXAMPLE.includes(message))).toEqual([])
    },
  )

  it('match the request of the shown answer: path, query string and body', () => {
    expect(variablesOf('forex')).toEqual({ quote: 'USD', from: '2026-11-16', to: '2026-11-20' })
    expect(variablesOf('forex_cross')).toMatchObject({ base: 'USD' })
    expect(variablesOf('bis_series')).toMatchObject({ limit: 1 })
    expect(Object.values(variablesOf('bis_series') ?? {})).toContain('Q.US.P.A.M.770.A')
    expect(variablesOf('screen_leis')).toEqual({
      leis: ['5493001KJTIIGC8Y1R12'],
      as_of: '2026-11-20T00:00:00Z',
    })
    expect(Object.values(variablesOf('star_dim_asset') ?? {})).toEqual([1])
  })

  it('do not accept an example that the route would refuse', async () => {
    const wrong = { forex: { request: 'GET /v1/forex?quote=USD&nothing=1', answer: null } }
    await expect(exampleOperations(restSchema, wrong)).rejects.toThrow('nothing: is not a parameter')
  })
})
