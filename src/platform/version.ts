import manifest from '../../package.json' with { type: 'json' }

/** Version of this package; `meta.version` of every answer. */
export const VERSION: string = manifest.version
