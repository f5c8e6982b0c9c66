import { nameRoute } from '../../../src/core/operation-names.js'

/** A message of GraphQL as REST words it: each names operations as its own callers do. */
export function inRouteWords(message: string): string {
  return message.replace(FIELD_CALL, (_call, name: string, given = '') => {
    const pairs = [...String(given).matchAll(GIVEN_VALUE)].map(([, argument, value]) => [
      argument,
      JSON.parse(value ?? ''),
    ])
    return nameRoute(name, Object.fromEntries(pairs))
  })
}

const FIELD_CALL = /\bthe field (\w+)(?:\(((?:"(?:[^"\\]|\\.)*"|[^")])*)\))?/g
const GIVEN_VALUE = /(\w+): ("(?:[^"\\]|\\.)*"|[\d.]+)/g
