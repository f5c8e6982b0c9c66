import { describe, expect, it } from 'vitest'
import {
  type DatasetName,
  kindOfDataset,
  registerDatasets,
  registeredDatasets,
} from '../../src/core/datasets.js'

// Names that no domain has.
const COPPER = 'test_copper' as DatasetName
const ZINC = 'test_zinc' as DatasetName

describe('datasets', () => {
  it('are there once they are registered, in the order of their names', () => {
    expect(registeredDatasets()).not.toContain(ZINC)
    expect(registerDatasets({ test_zinc: 'monthly', test_copper: 'tier' })).toEqual({
      test_zinc: 'monthly',
      test_copper: 'tier',
    })
    expect(registeredDatasets()).toEqual([COPPER, ZINC])
  })

  it('are of their kind, or of that of an asset', () => {
    registerDatasets({ test_zinc: 'monthly', test_copper: 'tier' })
    expect(kindOfDataset(ZINC, 1)).toBe('monthly')
    expect([1, 2, 3, null].map((tier) => kindOfDataset(COPPER, tier))).toEqual([
      'tier_1',
      'tier_2',
      'tier_3',
      'tier_3',
    ])
  })

  it('have names of their own', () => {
    registerDatasets({ test_zinc: 'monthly' })
    expect(() => registerDatasets({ test_zinc: 'daily' })).toThrow('there are two datasets test_zinc')
    expect(kindOfDataset(ZINC, null)).toBe('monthly')
  })

  it('are an error while no model registers them', () => {
    expect(() => kindOfDataset('test_tin' as DatasetName, null)).toThrow(
      'no model that is loaded registers the dataset test_tin',
    )
  })
})
