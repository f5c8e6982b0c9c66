import { printSchema } from 'graphql'
import { expect, it } from 'vitest'
import { graphSchema } from '../../../src/schema.js'

it('a description that names a path of REST states its equivalent in GraphQL', () => {
  const texts = [...printSchema(graphSchema).matchAll(/"""\s*([\s\S]*?)\s*"""/g)].map(
    ([, text]) => text ?? '',
  )
  const withPath = texts.filter((text) => /\/(?:v1|auth)\/|\{[a-z_]+\}/.test(text))
  expect(withPath.length).toBeGreaterThan(0)
  expect(withPath.filter((text) => !/\bfield `\w+`/.test(text))).toEqual([])
})
