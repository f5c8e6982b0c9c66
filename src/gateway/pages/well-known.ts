import { memoizeByObject } from '../../core/memoize-by-object.js'
import type { PublicKeySet } from '../../platform/secrets/signing.js'
import type { OpenSite } from '../http/pipeline.js'
import { isReadMethod } from '../http/read-method.js'
import { serveFile, textFile } from './static-files.js'

const KEY_SET_PATH = '/.well-known/jwks.json'

/** A new key must be there when the first signature by it is checked: keep the old set no longer than this. */
const CACHE_SECONDS = 300

/**
 * `GET /.well-known/jwks.json`: the public keys that snapshots are signed with, those of the past too. Open to anyone; empty
 * where nothing was ever signed.
 */
export function wellKnown(options: { readonly keySet: () => Promise<PublicKeySet> }): OpenSite {
  // While the set is the same object its file compresses once.
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
