import { hash } from 'node:crypto'
import { canonicalizeEx } from 'json-canonicalize'

/** Deeper than any hashed content; also stops at a cyclic value. */
const MAX_DEPTH = 100

/** With the u flag this matches only unpaired surrogates. */
const LONE_SURROGATE = /[\uD800-\uDFFF]/u

/**
 * The canonical JSON text of a value (RFC 8785): keys in UTF-16 order, no white space, ECMAScript numbers. `toJSON`
 * is used as in JSON.stringify, so a Date or Decimal is hashed as the text that a client receives. Throws TypeError
 * with the path of a value that JSON cannot represent: NaN, Infinity, undefined, functions, symbols, bigints, array
 * holes, lone surrogates, instances without toJSON, cycles, more than 100 levels.
 */
export function canonicalJson(value: unknown): string {
  return canonicalizeEx(toJsonTree(value, '$', 0))
}

/** SHA-256 as 64 lower-case hex digits; text is hashed as UTF-8. */
export function sha256Hex(text: string | Uint8Array): string {
  // One call, because a Hash object holds native memory until it is collected.
  return hash('sha256', text)
}

/** `sha256:<64 hex>` over the canonical JSON of the value; throws as `canonicalJson` does. */
export function contentHash(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * A checked copy. The library by itself would write `undefined` for functions, drop array holes, keep the order under a
 * `toJSON`, and report a cycle for an object used twice when one path is a prefix of the other.
 */
function toJsonTree(value: unknown, path: string, depth: number): Json {
  if (depth > MAX_DEPTH) throw new TypeError(`${path.slice(0, 80)}: nested too deeply for canonical JSON`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw refusal(path, String(value))
  }
  if (typeof value === 'string') return wellFormed(value, path)
  if (typeof value !== 'object') throw refusal(path, typeof value)
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return toJsonTree(value.toJSON(''), path, depth + 1)
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => toJsonTree(item, `${path}[${index}]`, depth + 1))
  }
  return objectTree(value, path, depth)
}

function objectTree(value: object, path: string, depth: number): Json {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw refusal(path, 'an instance without toJSON')
  // The library would treat a plain member with this name as the method and stop sorting.
  if (Object.hasOwn(value, 'toJSON')) throw refusal(path, 'a member named toJSON')
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      wellFormed(key, path),
      toJsonTree(member, `${path}.${key}`, depth + 1),
    ]),
  )
}

function wellFormed(text: string, path: string): string {
  if (LONE_SURROGATE.test(text)) throw refusal(path, 'a lone surrogate')
  return text
}

function refusal(path: string, what: string): TypeError {
  return new TypeError(`${path}: ${what} has no canonical JSON`)
}
