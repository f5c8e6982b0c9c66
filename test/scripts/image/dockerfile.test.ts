import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseStages } from '../../../scripts/image/dockerfile.js'

describe('readStages', () => {
  it('reads the instructions of each stage, with continued lines as one and without comments', () => {
    const stages = parseStages(
      [
        '# made by hand',
        'FROM node AS build',
        'RUN one && \\',
        '  two',
        '',
        'FROM node',
        '# why',
        'USER node',
      ].join('\n'),
    )
    expect(stages).toEqual([
      { name: 'build', instructions: [{ name: 'RUN', text: 'one && two', words: ['one', '&&', 'two'] }] },
      { name: null, instructions: [{ name: 'USER', text: 'node', words: ['node'] }] },
    ])
  })

  it('reads the words of the JSON form', () => {
    const [stage] = parseStages('FROM node\nCMD ["market-data-gateway", "start now"]')
    expect(stage?.instructions[0]?.words).toEqual(['market-data-gateway', 'start now'])
  })

  it('refuses an instruction before the first stage', () => {
    expect(() => parseStages('RUN true')).toThrow('RUN before the first FROM')
  })
})

describe('the image', () => {
  const read = (name: string) => readFileSync(resolve(import.meta.dirname, '../../..', name), 'utf8')
  const image = parseStages(read('Dockerfile')).at(-1)
  const { version, license } = JSON.parse(read('package.json')) as { version: string; license: string } // our own file

  it('has the labels of the OCI: title, version, licence, and the revision and source that the builder names', () => {
    const labels = image?.instructions.find(({ name }) => name === 'LABEL')?.text ?? ''
    const given = Object.fromEntries(
      Array.from(labels.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g), ([, name, value]) => [
        name,
        value,
      ]),
    )
    expect(given).toEqual({
      title: 'market-data-gateway',
      description: expect.any(String),
      licenses: license,
      version,
      revision: '$REVISION',
      source: '$SOURCE',
    })
    const args = image?.instructions.filter(({ name }) => name === 'ARG').map(({ text }) => text)
    expect(args).toEqual(['REVISION=unknown', 'SOURCE=unknown'])
  })
})
