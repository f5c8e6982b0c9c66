import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { PublicKeySet } from '../platform/signing.js'
import { serveFile, textFile } from './static-files.js'

const KEY_SET_PATH = '/.well-known/jwks.json'

/** A new key must be there when the first signature by it is checked: keep the old set no longer than this. */
const CACHE_SECONDS = 300

/** `GET /.well-known/jwks.json`: the public keys that snapshots are signed with. Open to anyone; empty without a key. */
export function useWellKnown(options: { readonly keySet: PublicKeySet }): DoorPlugin {
  const file = textFile('application/jwk-set+json', JSON.stringify(options.keySet), {
    'cache-control': `public, max-age=${CACHE_SECONDS}`,
    'x-content-type-options': 'nosniff',
  })
  return {
    onRequest({ request, url, endResponse }) {
      if (url.pathname !== KEY_SET_PATH || (request.method !== 'GET' && request.method !== 'HEAD')) return
      return serveFile(file, request).then(endResponse)
    },
  }
}
