import { createRequire } from 'node:module'

// Read at run time, because the sources and the compiled code have different paths to the file.
const manifest = createRequire(import.meta.url)('../../package.json') as { readonly version: string } // our own file

/** Version of this package, which is `meta.version` in every response. */
export const VERSION = manifest.version
