import type { JsonSchema } from './json-schema.js'

/** The request that the samples of an operation send. */
export interface SampleRequest {
  readonly method: string
  /** Absolute URL; braces contain the name of an environment variable. */
  readonly url: string
  /** Environment variable of the credential; null without one. */
  readonly credential: 'KEY' | 'TOKEN' | null
  readonly body: Readonly<Record<string, unknown>> | null
  readonly answer: 'json' | 'text' | 'none'
}

/** Writes the request in each language for `x-codeSamples`. Each sample prints the response and fails for an error. */
export function writeSamples(request: SampleRequest): readonly JsonSchema[] {
  return [
    { lang: 'shell', label: 'curl', source: curl(request) },
    { lang: 'typescript', label: 'TypeScript', source: typescript(request) },
    { lang: 'python', label: 'Python', source: python(request) },
  ]
}

const VARIABLE = /\{([A-Z_]+)\}/g

const CREDENTIALS = {
  KEY: { name: 'X-API-Key', prefix: '' },
  TOKEN: { name: 'Authorization', prefix: 'Bearer ' },
} as const

function curl({ method, url, credential, body }: SampleRequest): string {
  const address = url.replaceAll(VARIABLE, '$$$1')
  return [
    `curl -sS --fail-with-body${method === 'GET' || body !== null ? '' : ` -X ${method}`}`,
    ...(credential === null ? [] : [`-H "${headerText(credential, `$${credential}`)}"`]),
    ...(body === null
      ? []
      : [`-H 'content-type: application/json'`, `-d ${quoteForShell(JSON.stringify(body))}`]),
    address === url ? quoteForShell(url) : `"${address}"`,
  ].join(' \\\n  ')
}

function headerText(credential: 'KEY' | 'TOKEN', value: string): string {
  const { name, prefix } = CREDENTIALS[credential]
  return `${name}: ${prefix}${value}`
}

/** Quotes text for a shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function typescript({ method, url, credential, body, answer }: SampleRequest): string {
  const address = url.replaceAll(VARIABLE, '$${process.env.$1}')
  const headers = [
    ...(credential === null ? [] : [headerInTypescript(credential)]),
    ...(body === null ? [] : [`'content-type': 'application/json'`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === null ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
  ]
  const argument = address === url ? `'${url}'` : `\`${address}\``
  const given = options.length === 0 ? argument : [`${argument}, {`, ...options, '}'].join('\n')
  return `const response = await fetch(${given})
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)
console.log(${{ json: 'await response.json()', text: 'await response.text()', none: 'response.status' }[answer]})
`
}

function headerInTypescript(credential: 'KEY' | 'TOKEN'): string {
  return credential === 'KEY'
    ? `'X-API-Key': process.env.KEY ?? ''`
    : `Authorization: \`Bearer \${process.env.TOKEN}\``
}

function python({ method, url, credential, body, answer }: SampleRequest): string {
  const address = url.replaceAll(VARIABLE, "{os.environ['$1']}")
  const headers = [
    ...(credential === null ? [] : [headerInPython(credential)]),
    ...(body === null ? [] : ['"Content-Type": "application/json"']),
  ]
  const needsJson = body !== null || answer === 'json'
  const needsOs = credential !== null || address !== url
  return `${needsJson ? 'import json\n' : ''}${needsOs ? 'import os\n' : ''}from urllib.request import Request, urlopen

request = Request(${[
    `${address === url ? '' : 'f'}"${address}"`,
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length === 0 ? [] : [`headers={${headers.join(', ')}}`]),
    ...(body === null ? [] : [`data=json.dumps(${inPython(body)}).encode()`]),
  ].join(', ')})
with urlopen(request) as response:
    print(${{ json: 'json.load(response)', text: 'response.read().decode()', none: 'response.status' }[answer]})
`
}

function headerInPython(credential: 'KEY' | 'TOKEN'): string {
  return credential === 'KEY'
    ? '"X-API-Key": os.environ["KEY"]'
    : '"Authorization": f"Bearer {os.environ[\'TOKEN\']}"'
}

/** Writes a JSON value as a Python literal. */
function inPython(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(inPython).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${inPython(member)}`,
  )
  return `{${members.join(', ')}}`
}
