import { memoizeByObject } from '../../core/memoize-by-object.js'
import type { PublicKeySet } from '../../platform/secrets/signing.js'
import type { OpenSite } from '../http/pipeline.js'
import { isReadMethod } from '../http/read-method.js'
import { serveFile, textFile } from './static-files.js'

const KEY_SET_PATH = '/.well-known/jwks.json'

/** Clients need a new key soon after its first signature, so they may keep the old set only this long. */
const CACHE_SECONDS = 300

/**
 * Serves `GET /.well-known/jwks.json`: the public keys of all snapshot signatures, including past keys. Open to anyone. Empty
 * if nothing was ever signed.
 */
export function wellKnown(options: { readonly keySet: () => Promise<PublicKeySet> }): OpenSite {
  // One file per set of keys, so that it is compressed once.
  const fileOf = memoizeByObject((keySet: PublicKeySet) =>
    textFile('application/jwk-set+json', JSON.stringify(keySet), {
      'cache-control': `public, max-age=${CACHE_SECONDS}`,
    }),
  )
  return (exchange) => {
    if (exchange.path !== KEY_SET_PATH || !isReadMethod(exchange.method)) return null
    return options.keySet().then((keySet) => serveFile(fileOf(keySet), exchange))
  }
}
