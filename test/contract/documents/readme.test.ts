import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { configuredOpenApi } from '../../../src/gateway/rest/wiring.js'
import { graphSchema } from '../../../src/schema.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const MAX_LINES = 120
const MAX_PICTURE_BYTES = 250_000

const text = readFileSync(resolve(ROOT, 'README.md'), 'utf8')

const sizeOf = (name: string) =>
  (
    JSON.parse(
      readFileSync(resolve(ROOT, `src/ingest/providers/reference/${name}.json`), 'utf8'),
    ) as unknown[]
  ).length

describe('the README', () => {
  it('has at most 120 lines', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES)
  })

  it('shows two pictures, each for light and dark, of at most 250 kB', () => {
    const pictures = Array.from(text.matchAll(/(?:src|srcset)="([^"]+)"/g), ([, path = '']) => path)
    expect(pictures).toHaveLength(4)
    const isSmall = (path: string) => statSync(resolve(ROOT, path)).size <= MAX_PICTURE_BYTES
    expect(pictures.filter((path) => !isSmall(path))).toEqual([])
  })

  it('counts the assets of the seed, the operations and the tables as they are', async () => {
    const sizes = ['crypto', 'stocks', 'etfs', 'commodities'].map(sizeOf)
    const [crypto, stocks, etfs, commodities] = sizes
    const assets = sizes.reduce((sum, size) => sum + size, 0)
    const { paths } = JSON.parse(await configuredOpenApi(loadConfig({ NODE_ENV: 'test' })).short()) as {
      paths: Readonly<Record<string, object>>
    }
    // Every member of a path is a method.
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
    const queries = Object.keys(graphSchema.getQueryType()?.getFields() ?? {}).length
    const tables = Object.keys(paths).filter((path) => /^\/v1\/star\/\w+\/[\w-]+$/.test(path)).length
    const words = text.replaceAll(/\s+/g, ' ')
    expect(words).toContain(
      `${assets} assets in the seed (${crypto} crypto assets, ${stocks} stocks, ${etfs} ETFs, ${commodities} commodities)`,
    )
    expect(words).toContain(`${operations} REST operations and ${queries} GraphQL queries`)
    expect(words).toContain(`a star schema of ${tables} tables`)
  })
})
