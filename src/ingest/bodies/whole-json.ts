import { duplicateMember } from '../../core/duplicate-member.js'
import { BrokenBody } from '../feed.js'
import { type Json, readJson, shown } from './json-body.js'

/** The JSON of a body that has to be whole. Throws BrokenBody for one that was cut off, or has a name twice. */
export function wholeJson(body: Uint8Array): Json {
  const { value, cut } = readJson(body)
  if (cut.size > 0) throw new BrokenBody('the body is cut off')
  const twice = duplicateMember(new TextDecoder().decode(body))
  if (twice !== null) throw new BrokenBody(`an object of the body has the member ${shown(twice)} twice`)
  return value
}
