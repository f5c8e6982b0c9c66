import { describe, expect, it } from 'vitest'
import type { DatasetName } from '../../../../src/core/datasets.js'
import { DATASETS } from '../../../../src/domains/datasets/registry-model.js'
import { entityTag, findCurrentTag, type TagContents } from '../../../../src/gateway/http/cache/entity-tag.js'
import { NameSet } from '../../../../src/gateway/http/cache/name-set.js'
import type { DatasetStates } from '../../../../src/platform/database/versions/data-version.js'
import { GrainMap } from '../../../../src/platform/database/versions/grain-map.js'
import { statesOf as datasetStates } from '../../../support/database/dataset-states.js'

const NOON = new Date('2026-11-20T12:00:00Z')
const LATER = new Date('2026-11-20T13:00:00Z')
const KEY = 'history:full\n/v1/forex?quote=USD\n*/*'

const statesOf = (versions: Partial<Record<DatasetName, number>>) => datasetStates(versions, NOON)

const STATES = statesOf({ instruments: 3, forex: 7, candles: 12, supply: 1, analysis: 5 })
const FOREX: TagContents = { reads: ['forex'], endsAtMs: LATER.getTime() }
const CARDS: TagContents = {
  reads: ['candles', 'instruments', 'supply'],
  endsAtMs: Number.POSITIVE_INFINITY,
}

const currentTag = (...asked: Parameters<typeof findCurrentTag>) => findCurrentTag(...asked)?.tag ?? null

describe.each([40, 64, 200])('the tag of an answer among %d datasets', (count) => {
  // Names of the same shape as the ones there are.
  const names = Array.from({ length: count }, (_, at) => `dataset_${at}`) as unknown as DatasetName[]
  const datasets = new NameSet(names)
  const statesOfAll = (version: number) => statesOf(Object.fromEntries(names.map((name) => [name, version])))
  const states = statesOfAll(1)

  it('is current only while the version of each dataset is, whichever is read', () => {
    for (const name of names) {
      const tag = entityTag(KEY, { ...FOREX, reads: [name] }, states, datasets)
      expect(findCurrentTag(tag, KEY, states, NOON, datasets)).toMatchObject({ tag, reads: [name] })
      const risen = new Map([...states, ...[...statesOfAll(2)].filter(([other]) => other === name)])
      expect([name, findCurrentTag(tag, KEY, risen, NOON, datasets)]).toEqual([name, null])
    }
  })

  it('names all datasets that were read, even all existing ones', () => {
    for (const reads of [names, names.slice(-2), [names[0], names.at(-1)] as DatasetName[]]) {
      const tag = entityTag(KEY, { ...FOREX, reads }, states, datasets)
      expect(findCurrentTag(tag, KEY, states, NOON, datasets)?.reads).toEqual(reads)
    }
  })
})

describe('the tag of an answer', () => {
  it('is a weak tag that a header can hold', () => {
    expect(entityTag(KEY, FOREX, STATES)).toMatch(/^W\/"[\w-]{22}\.[0-9a-z]+\.[0-9a-z]+"$/)
    expect(entityTag(KEY, CARDS, STATES)).toMatch(/^W\/"[\w-]{22}\.[0-9a-z]+\.-"$/)
  })

  it('differs by key, version and end, and only by the versions of its datasets', () => {
    const tag = entityTag(KEY, FOREX, STATES)
    expect(entityTag(KEY, FOREX, statesOf({ forex: 7 }))).toBe(tag)
    expect(entityTag(KEY, FOREX, statesOf({ forex: 8 }))).not.toBe(tag)
    expect(entityTag(`${KEY} `, FOREX, STATES)).not.toBe(tag)
    expect(entityTag(KEY, { ...FOREX, endsAtMs: NOON.getTime() }, STATES)).not.toBe(tag)
    expect(entityTag(KEY, { ...FOREX, reads: ['forex', 'candles'] }, STATES)).not.toBe(tag)
  })

  it.each(DATASETS)('is current only while the version of %s is', (name) => {
    const tag = entityTag(KEY, { reads: [name], endsAtMs: LATER.getTime() }, STATES)
    expect(currentTag(tag, KEY, STATES, NOON)).toBe(tag)
    const risen = statesOf({ instruments: 3, forex: 7, candles: 12, supply: 1, analysis: 5, [name]: 99 })
    expect(currentTag(tag, KEY, risen, NOON)).toBeNull()
  })

  it('is current after any change of other datasets', () => {
    const tag = entityTag(KEY, CARDS, STATES)
    expect(currentTag(tag, KEY, statesOf({ instruments: 3, candles: 12, supply: 1 }), NOON)).toBe(tag)
    expect(currentTag(tag, KEY, statesOf({ instruments: 3, candles: 12, supply: 2 }), NOON)).toBeNull()
  })

  it('is current until its end, exclusively; without one for ever', () => {
    const tag = entityTag(KEY, FOREX, STATES)
    expect(currentTag(tag, KEY, STATES, new Date(LATER.getTime() - 1))).toBe(tag)
    expect(currentTag(tag, KEY, STATES, LATER)).toBeNull()
    const lasting = entityTag(KEY, CARDS, STATES)
    expect(currentTag(lasting, KEY, STATES, new Date('2199-01-01T00:00:00Z'))).toBe(lasting)
  })

  describe('that was read from grains', () => {
    const grains = ['instruments', 'candles/bitcoin', 'candles/ethereum.closed'] as const
    const change = (version: number) => ({
      version,
      commitId: `00000000-0000-4000-8000-00000000000${version}`,
      observedMs: 0,
      changedMs: 0,
    })
    const grained = (bitcoin: number, ethereum: number, version = 12): DatasetStates => {
      const candles = statesOf({ candles: version }).get('candles')
      if (candles === undefined) throw new Error('there are no candles')
      const named = [
        ['bitcoin', change(bitcoin)],
        ['ethereum.closed', change(ethereum)],
      ] as const
      return new Map(STATES).set('candles', { ...candles, grains: GrainMap.of(change(1), named) })
    }
    const tag = entityTag(KEY, { ...FOREX, reads: grains }, grained(5, 6))

    it('is current while their versions are, whatever else has changed in the dataset', () => {
      expect(tag).toMatch(/^W\/"[\w-]{22}\.[0-9a-z]+\.[0-9a-z]+!\w+:bitcoin!\w+:ethereum\.closed"$/)
      expect(findCurrentTag(tag, KEY, grained(5, 6, 99), NOON)).toMatchObject({ tag, reads: grains })
      expect(currentTag(tag, KEY, grained(7, 6), NOON)).toBeNull()
      expect(currentTag(tag, KEY, grained(5, 7), NOON)).toBeNull()
      expect(currentTag(tag, KEY, STATES, NOON)).toBeNull()
    })

    it('cannot be changed by a client to name fewer or other ones', () => {
      for (const forged of [
        tag.replace(/!\w+:bitcoin/, ''),
        tag.replace(':bitcoin', ':solana'),
        tag.replace(/!\w+:/, '!0:'),
        tag.replace(/!\w+:/, '!zz:'),
        tag.replace(':bitcoin', ':'),
        tag.replace('"$', '!1:a"').replace(':bitcoin', '!1:a'.repeat(40)),
      ])
        expect([forged, currentTag(forged, KEY, grained(5, 6), NOON)]).toEqual([forged, null])
    })
  })

  it('names a fixed answer without datasets, until its end', () => {
    const fixed = entityTag(KEY, { ...FOREX, reads: [] }, STATES)
    expect(currentTag(fixed, KEY, STATES, NOON)).toBe(fixed)
    expect(currentTag(fixed, KEY, STATES, LATER)).toBeNull()
    expect(currentTag(fixed, 'other', STATES, NOON)).toBeNull()
  })

  it('cannot be changed by a client to be valid for longer, or for fewer datasets', () => {
    const tag = entityTag(KEY, FOREX, STATES)
    const [hash = '', mask = '', end = ''] = tag.slice(3, -1).split('.')
    for (const forged of [
      `W/"${hash}.${mask}.${(LATER.getTime() + 3_600_000).toString(36)}"`,
      `W/"${hash}.${mask}.-"`,
      `W/"${hash}.0.${end}"`,
      `W/"${hash}.${(31).toString(36)}.${end}"`,
      `W/"${'A'.repeat(22)}.${mask}.${end}"`,
    ])
      expect([forged, currentTag(forged, KEY, STATES, NOON)]).toEqual([forged, null])
  })

  it('is valid for one request and scope set only', () => {
    const tag = entityTag(KEY, FOREX, STATES)
    for (const other of [
      '\n/v1/forex?quote=USD\n*/*',
      'history:full\n/v1/forex?quote=JPY\n*/*',
      'history:full\n/v1/forex?quote=USD\napplication/json',
    ])
      expect(currentTag(tag, other, STATES, NOON)).toBeNull()
  })

  it('is found in a list, however it is spaced', () => {
    const tag = entityTag(KEY, FOREX, STATES)
    for (const header of [`"other", ${tag}`, `${tag},W/"other"`, `W/"a",\t${tag} , "b, c"`, ` ${tag} `])
      expect([header, currentTag(header, KEY, STATES, NOON)]).toEqual([header, tag])
  })

  it('is found by the weak comparison, which ignores the W/', () => {
    const tag = entityTag(KEY, FOREX, STATES)
    expect(currentTag(tag.slice(2), KEY, STATES, NOON)).not.toBeNull()
  })

  it.each([['*'], [''], [','], ['W/""'], ['W/"a.b.c"'], ['nothing'], ['W/"']])(
    'is not found in %j',
    (header) => {
      expect(currentTag(header, KEY, STATES, NOON)).toBeNull()
    },
  )
})
