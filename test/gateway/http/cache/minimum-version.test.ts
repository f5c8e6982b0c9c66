import { describe, expect, it } from 'vitest'
import {
  hasMinimum,
  minimumNotReached,
  parseMinimumVersion,
} from '../../../../src/gateway/http/cache/minimum-version.js'
import type { DatasetStates } from '../../../../src/platform/database/data-version.js'
import { statesOf } from '../../../support/database/dataset-states.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const OWN = 482_913_377

const parse = (text: string | null) => parseMinimumVersion({ header: () => text })

function ownStates(versions: Parameters<typeof statesOf>[0]): DatasetStates {
  return new Map([...statesOf(versions, NOW)].map(([name, state]) => [name, { ...state, installation: OWN }]))
}

function minimumOf(text: string) {
  return parse(text) ?? expect.fail('the header is given')
}

describe('X-Min-Data-Version', () => {
  it('is optional', () => {
    expect(parse(null)).toBeNull()
  })

  it('may join several values, of which the highest version of a dataset counts', () => {
    const text = 'forex=7, candles=3, installation=5, forex=12,candles=1 , installation=5'
    expect(parse(text)).toEqual({
      versions: new Map([
        ['forex', 12],
        ['candles', 3],
      ]),
      installations: new Set([5]),
    })
  })

  it.each([
    '',
    'forex',
    'forex=',
    'forex=x',
    'forex=1.5',
    'forex=-1',
    'Forex=1',
    'forex=1;a=2',
    ',',
    `a=${'9'.repeat(16)}`,
  ])('is a 400 that says what to send: %j', (text) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        status: 400,
        details: [
          {
            field: 'X-Min-Data-Version',
            message:
              'must be the value of X-Data-Version of an earlier response, such as candles=17, instruments=3',
          },
        ],
      }),
    )
  })

  it('is a 400 above 4,096 characters', () => {
    const text = `${'forex=1,'.repeat(512)}forex=1`
    expect(() => parse(text)).toThrow(/has 4103 characters; at most 4096 are allowed/)
    expect(parse('forex=1,'.repeat(511).slice(0, -1))?.versions.get('forex')).toBe(1)
  })

  it.each([
    ['forex=17', true],
    ['forex=16, candles=0', true],
    ['forex=18', false],
    ['forex=17, candles=1', false],
    [`forex=17, installation=${OWN}`, true],
    ['forex=1, installation=1', false],
    [`forex=1, installation=${OWN}, installation=1`, false],
    ['unheard_of=0', true],
    ['unheard_of=1', false],
  ])('is met or not by forex=17 of this installation: %s', (text, isMet) => {
    expect(hasMinimum(ownStates({ forex: 17 }), minimumOf(text))).toBe(isMet)
  })

  it.each([
    ['forex=18', 'asks for forex=18, but this gateway has 17; send the request without it'],
    [
      'forex=1, installation=1',
      'names versions of another gateway, or of the data before a restore; send the request without it',
    ],
    ['unheard_of=1', 'asks for unheard_of=1, but this gateway has 0; send the request without it'],
  ])('is a 412 with the reason if the newest data lacks it: %s', (text, message) => {
    expect(minimumNotReached(ownStates({ forex: 17 }), minimumOf(text))).toMatchObject({
      status: 412,
      code: 'precondition_failed',
      details: [{ field: 'X-Min-Data-Version', message }],
    })
  })
})
