import { isObject } from '../../../core/is-object.js'
import { jsonOfBody, type StatedSize } from '../../feed.js'

const OK = 200

/** The index of a dataset states the size of each file in bytes. */
export function createStatedSize(dataset: string, file: string): StatedSize {
  return {
    request: {
      url: `https://data.opensanctions.org/datasets/latest/${dataset}/index.json`,
      headers: { accept: 'application/json' },
    },
    read: (answer) => {
      const index = jsonOfBody(answer, OK)
      const resources = isObject(index) && Array.isArray(index.resources) ? index.resources : []
      const sizes = resources.flatMap((resource) =>
        isObject(resource) && resource.name === file && typeof resource.size === 'number'
          ? resource.size
          : [],
      )
      return sizes[0] ?? null
    },
  }
}
