import type { PublicKeySet } from '../../platform/secrets/signing.js'
import type { OpenSite } from '../pipeline.js'
import { isReadMethod } from '../read-method.js'
import { serveFile, textFile } from './static-files.js'

const KEY_SET_PATH = '/.well-known/jwks.json'

/** A new key must be there when the first signature by it is checked: keep the old set no longer than this. */
const CACHE_SECONDS = 300

/** `GET /.well-known/jwks.json`: the public keys that snapshots are signed with. Open to anyone; empty without a key. */
export function wellKnown(options: { readonly keySet: PublicKeySet }): OpenSite {
  const file = textFile('application/jwk-set+json', JSON.stringify(options.keySet), {
    'cache-control': `public, max-age=${CACHE_SECONDS}`,
  })
  return (exchange) =>
    exchange.path === KEY_SET_PATH && isReadMethod(exchange.method) ? serveFile(file, exchange) : null
}
