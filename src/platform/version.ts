import { createRequire } from 'node:module'

// At run time, so that compiled and source code find the same file.
const manifest = createRequire(import.meta.url)('../../package.json') as { readonly version: string } // our own file

/** Version of this package; `meta.version` of every answer. */
export const VERSION = manifest.version
