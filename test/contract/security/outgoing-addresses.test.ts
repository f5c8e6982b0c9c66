import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { getNamedType, isInputObjectType, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { Environment } from '../../../src/config/environment.js'
import { loadConfig } from '../../../src/config.js'
import { graphSchema } from '../../../src/schema.js'

const ROOT = resolve(import.meta.dirname, '../../..')

/**
 * Every variable that holds an address, and what is done with it. All are the operator's, who is trusted; a variable that is
 * neither here nor below fails the test until somebody has decided what it is.
 */
const ADDRESSES: Readonly<Record<string, 'connected to' | 'asked by HTTP' | 'listened on' | 'shown'>> = {
  HOST: 'listened on',
  METRICS_HOST: 'listened on',
  DATABASE_URL: 'connected to',
  DATABASE_REPLICA_URLS: 'connected to',
  REDIS_URL: 'connected to',
  SMTP_URL: 'connected to',
  PUBLIC_URL: 'shown',
  UPGRADE_URL: 'shown',
  SQL_PUBLIC_ADDRESS: 'shown',
  RELEASES_LOCATION: 'asked by HTTP',
  NEWS_FEEDS: 'asked by HTTP',
  AI_BASE_URL: 'asked by HTTP',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'asked by HTTP',
  WEBHOOK_PRIVATE_HOSTS: 'asked by HTTP',
}

/** Families of variables, by what their names begin with. */
const FAMILIES = { PROVIDER_URL_ECB: 'asked by HTTP', RPC_URLS_1: 'asked by HTTP' } as const

/** How webhooks are delivered: a switch and numbers. */
const OF_WEBHOOKS = ['WEBHOOKS', 'WEBHOOK_ATTEMPTS', 'WEBHOOK_FIRST_RETRY_MS', 'WEBHOOK_TIMEOUT_MS']

/** Variables without an address: numbers, switches, names and secrets. */
const OTHERS = [
  ...OF_WEBHOOKS,
  ...[
    'NODE_ENV',
    'PORT',
    'METRICS_PORT',
    'WORKERS',
    'DATA_DIR',
    'RELEASES_KEEP',
    'DATABASE_POOL_SIZE',
    'DATABASE_PREPARE',
    'READINESS_NEEDS_DATABASE',
  ],
  ...[
    'SQL_ACCEPTED_RISKS',
    'CACHE_BYTES',
    'BURST_PER_MINUTE',
    'KEY_PEPPER',
    'KEY_PEPPER_PREVIOUS',
    'JWT_KEYS',
    'SIGNING_KEY',
  ],
  ...['DEMO_KEY', 'INTROSPECTION', 'TRUSTED_DOCUMENTS', 'CORS_ORIGINS', 'TRUST_PROXY', 'SCHEDULE', 'SEED'],
  ...['COMPAT', 'COMPAT_OPEN'],
  ...['ALPACA_API_KEY_ID', 'ALPACA_API_SECRET_KEY'],
  ...['OPENFIGI_API_KEY', 'BLS_API_KEY', 'BOK_API_KEY', 'SEC_USER_AGENT', 'TIINGO_API_KEY'],
  ...[
    'ETHERSCAN_API_KEY',
    'AI_API_KEY',
    'AI_MODEL',
    'AI_CALLS_PER_RUN',
    'NEWSLETTER_FROM',
    'NEWSLETTER_RATE',
  ],
  ...['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER_ARG'],
  ...['LOG_LEVEL'],
]

/** What a family of variables needs besides the address. */
const COMPANIONS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['AI_', { AI_API_KEY: 'k', AI_MODEL: 'm' }],
]

/** What opens connections, and why it may do so beside the client of platform/http-client. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  'portal/client/request.ts': 'runs in the browser, and asks the gateway that its page came from',
  'portal/client/follow-subscription.ts': 'runs in the browser, and asks the gateway that its page came from',
  'portal/frame/start.ts': 'runs in the browser, and asks the gateway that its page came from',
  'portal/parts/request-code.ts': 'shows code in JavaScript and runs none',
  'portal/graphiql/examples.ts': 'runs in the browser, and asks the gateway that its page came from',
  'portal/reference/main.ts': 'runs in the browser, and asks the gateway that its page came from',
  'commands/verify/consensus.ts': 'the gateway that the operator names on the command line',
  'commands/verify/snapshot.ts': 'the gateway that the operator names on the command line',
  'commands/verify/read-key-set.ts': 'the key set that the operator names on the command line',
  'platform/object-store/s3-bucket.ts': 'the object store that the operator names; it follows no redirect',
  'platform/http-client/follow-redirects.ts': 'the client: the first host, and redirects under guard',
  'platform/http-client/guarded-request.ts': 'the client: public addresses only',
  'platform/http-client/http-client.ts': 'the client: what follows no redirect',
}

/** Addresses of other kinds than are wanted, as an attacker who writes to a file of settings would try them. */
const HOSTILE = [
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'gopher://127.0.0.1:6379/x',
  'ftp://a.example',
  '//a.example',
  'not an address',
]

const FILES = readdirSync(resolve(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('generated'),
)
const source = (name: string) => readFileSync(resolve(ROOT, 'src', name), 'utf8')

describe('outgoing addresses', () => {
  it('are in known variables of the configuration', () => {
    const declared = Object.keys(Environment.shape).sort()
    expect([...Object.keys(ADDRESSES), ...OTHERS].sort()).toEqual(declared)
    const namedLikeAddresses = declared.filter((name) => /URL|HOST|ENDPOINT|FEEDS|WEBHOOK|ADDRESS/.test(name))
    const unknown = namedLikeAddresses.filter((name) => ADDRESSES[name] === undefined)
    expect(unknown.filter((name) => !OF_WEBHOOKS.includes(name))).toEqual([])
  })

  it.each(Object.entries({ ...ADDRESSES, ...FAMILIES }).filter(([name]) => !/HOST$/.test(name)))(
    '%s (%s) takes an address of its own kind alone, and is not shown where it is wrong',
    (name) => {
      const companions = COMPANIONS.find(([start]) => name.startsWith(start))?.[1] ?? {}
      for (const hostile of HOSTILE) {
        expect(() => loadConfig({ ...companions, [name]: `${hostile}#hunter2` }), hostile).toThrow(name)
        expect(() => loadConfig({ ...companions, [name]: `${hostile}#hunter2` })).not.toThrow(/hunter2/)
      }
    },
  )

  it('are never arguments of a caller, except those of webhooks, which are guarded', () => {
    const named = Object.values(graphSchema.getTypeMap()).flatMap((type) => {
      const ofArguments = isObjectType(type)
        ? Object.values(type.getFields()).flatMap(({ name, args }) =>
            args.map((argument) => ({ where: `${type.name}.${name}(${argument.name})`, argument })),
          )
        : []
      const ofInputs = isInputObjectType(type)
        ? Object.values(type.getFields()).map((argument) => ({
            where: `${type.name}.${argument.name}`,
            argument,
          }))
        : []
      return [...ofArguments, ...ofInputs]
    })
    expect(named.length).toBeGreaterThan(100)
    const suspicious = named.filter(
      ({ argument: { name, type } }) =>
        (/ur[li]|host|endpoint|webhook|callback|redirect|proxy/i.test(name) && !/_id$|^hourly_/.test(name)) ||
        /URL|URI/.test(getNamedType(type).name),
    )
    // One that is added goes through guardedRequest, and is named here with its test.
    expect(suspicious.map(({ where }) => where)).toEqual([
      // Names of operations and interfaces, not an address.
      'Mutation.create_api_key(url_use)',
      // domains/webhooks/send-event.test.ts
      'Mutation.create_webhook(url)',
      'Mutation.update_webhook(url)',
    ])
  })

  it('are opened by the HTTP client only', () => {
    const found = FILES.filter((name) => {
      const text = source(name)
      // `fetch(` that is called, and not declared as a method of ours.
      const isFetching = /(?:await|return|=|:|\?) fetch\(|\(await fetch\(/.test(text)
      const isAsking = /^import (?!type)[^;]*?\b(?:request|get|Agent)\b[^;]*? from '(?:node:)?https?'/m.test(
        text,
      )
      return isFetching || isAsking || /from 'undici'|globalThis\.fetch/.test(text)
    })
    expect(found).toContain('platform/http-client/http-client.ts')
    expect(found.filter((name) => WAYS_OUT[name] === undefined)).toEqual([])
    expect(Object.keys(WAYS_OUT).filter((name) => !FILES.includes(name))).toEqual([])
  })

  it('with a key in the URL or a header follow no redirect, or drop the key', () => {
    // follow-redirects.test.ts has what is sent to whom; these ask with keys of the operator.
    for (const name of ['ingest/chains/ask-nodes.ts', 'ingest/chains/ask-contract-names.ts'])
      expect(source(name)).toContain('refusesRedirects: true')
  })
})
