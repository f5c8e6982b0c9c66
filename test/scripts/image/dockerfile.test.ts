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
