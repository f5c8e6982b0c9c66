import type { RestCall } from '../client/use-query.js'

/** Writes a call of the gateway as a program; `KEY` holds the reader's key. */
type WriteCall = (call: RestCall) => string

function toUrl({ path }: RestCall): string {
  return location.origin + path
}

export const toCurl: WriteCall = (call) => {
  const { method, body } = call
  const sent =
    body === undefined
      ? ''
      : ` \\\n  -H 'content-type: application/json' -d ${quoteForShell(JSON.stringify(body))}`
  const verb = method === 'GET' || body !== undefined ? '' : ` -X ${method}`
  return `curl${verb} -H "X-API-Key: $KEY"${sent} \\\n  ${quoteForShell(toUrl(call))}`
}

export const toTypeScript: WriteCall = (call) => {
  const { method, body } = call
  const options =
    body === undefined
      ? "{ headers: { 'X-API-Key': KEY } }"
      : `{ method: '${method}', headers: { 'X-API-Key': KEY, 'content-type': 'application/json' },
    body: ${JSON.stringify(JSON.stringify(body))} }`
  return `const response = await fetch(
  '${toUrl(call)}',
  ${options})
console.log(await response.json())`
}

export const toPython: WriteCall = (call) => {
  const { body } = call
  const sent = body === undefined ? '' : `, data=${JSON.stringify(JSON.stringify(body))}.encode()`
  const type = body === undefined ? '' : ", 'content-type': 'application/json'"
  return `import json, os
from urllib.request import Request, urlopen

url = '${toUrl(call)}'
request = Request(url, headers={'X-API-Key': os.environ['KEY']${type}}${sent})
print(json.load(urlopen(request)))`
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
