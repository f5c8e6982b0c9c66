import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../core/errors.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import { parseJson } from '../../core/parse-json.js'
import type { Exchange } from './exchange.js'

const parsedOnce = memoizeByObject((body: Buffer) => ({ value: parse(body) }))

/**
 * The JSON value of a request's body, which every interface reads by this function. Libraries get the value and never the
 * bytes, which they might read differently. Throws 400 unless the body is JSON in UTF-8, without a byte order mark and
 * without an object that has a member twice.
 */
export function parseBody({ body }: Pick<Exchange, 'body'>): unknown {
  if (body === null) throw emptyBody()
  return parsedOnce(body).value
}

function parse(body: Buffer): unknown {
  if (!isUtf8(body)) throw new ApiError('bad_request', { message: 'The body is not valid UTF-8.' })
  const text = body.toString()
  if (text.trim() === '') throw emptyBody()
  return parseJson(text, 'The body')
}

function emptyBody(): ApiError {
  return new ApiError('bad_request', { message: 'The body is empty; send a JSON object.' })
}
