import type { Exchange } from '../../platform/request/exchange.js'
import { weightedList } from '../weighted-list.js'

const HTML = /^text\/html$/
const JSON_TYPES = /^application\/([\w.-]+\+)?json$/

/** Whether the client prefers text/html to JSON, like browsers. */
export function prefersHtml(exchange: Exchange): boolean {
  const named = weightedList(exchange.header('accept') ?? '')
  const weightOf = (type: RegExp) =>
    Math.max(0, ...named.filter(({ name }) => type.test(name)).map(({ weight }) => weight))
  const html = weightOf(HTML)
  return html > 0 && html > weightOf(JSON_TYPES)
}
