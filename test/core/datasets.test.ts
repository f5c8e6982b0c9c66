import { beforeEach, describe, expect, it } from 'vitest'
import { DatasetRegistry } from '../../src/core/datasets.js'

describe('a registry of datasets', () => {
  let registry: DatasetRegistry
  beforeEach(() => {
    registry = new DatasetRegistry()
    registry.add({ zinc: 'monthly', copper: 'tier' })
  })

  it('names them in alphabetical order, whatever the order of registration', () => {
    expect(registry.names()).toEqual(['copper', 'zinc'])
    registry.add({ nickel: 'daily' })
    expect(registry.names()).toEqual(['copper', 'nickel', 'zinc'])
  })

  it('has the kind of each, or that of an asset', () => {
    expect(registry.kindOf('zinc', 1)).toBe('monthly')
    const kinds = [1, 2, 3, null].map((tier) => registry.kindOf('copper', tier))
    expect(kinds).toEqual(['tier_1', 'tier_2', 'tier_3', 'tier_3'])
  })

  it('refuses a second dataset with a name, and keeps the first', () => {
    expect(() => registry.add({ zinc: 'daily' })).toThrow('there are two datasets zinc')
    expect(registry.kindOf('zinc', null)).toBe('monthly')
    registry.add({ zinc: 'monthly' }) // a model that is loaded again
    expect(registry.names()).toEqual(['copper', 'zinc'])
  })

  it('refuses an unregistered dataset', () => {
    expect(() => registry.kindOf('tin', null)).toThrow('no model that is loaded registers the dataset tin')
  })
})
