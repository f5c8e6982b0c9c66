import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHAIN_IDS } from '../src/config/misspelled-variables.js'
import { startOptionFault, withFlags } from '../src/config/start-options.js'
import { ConfigError, databaseTarget, loadConfig } from '../src/config.js'
import { KNOWN_CHAINS } from '../src/domains/onchain/known-chains-model.js'

const JWT_KEYS = `k1:${'a'.repeat(43)}`
const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://gateway:hunter2@db.example/gateway',
  KEY_PEPPER: 'p'.repeat(32),
  JWT_KEYS,
}

/** The lines of the refusal, without its title. */
function refusal(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    const [title, ...lines] = String((error as ConfigError).message).split('\n') // checked above
    expect(title).toBe('The configuration has errors:')
    return lines
  }
  throw new Error('the configuration was taken')
}

/** Names of the variables that the refusal complains about. */
function refused(env: NodeJS.ProcessEnv): readonly string[] {
  return refusal(env).map((line) => /^ {2}- ([A-Z_]+)/.exec(line)?.[1] ?? line)
}

describe('loadConfig', () => {
  it('needs no variables for development: an embedded database in ./.data, on loopback, introspection open', () => {
    const config = loadConfig({})
    expect(config).toMatchObject({
      mode: 'development',
      isDevelopment: true,
      host: '127.0.0.1',
      port: 4000,
      metricsHost: '127.0.0.1',
      metricsPort: 4001,
      introspection: 'public',
      trustProxy: false,
      redisUrl: null,
      publicUrl: null,
      trustedDocuments: null,
      workers: 1,
      cacheBytes: 67_108_864,
      burstPerMinute: 600,
      logLevel: 'info',
    })
    expect(databaseTarget(config)).toEqual({ kind: 'embedded', directory: resolve('.data') })
    expect(config.keyPepper.length).toBeGreaterThanOrEqual(32)
    expect(Object.isFrozen(config)).toBe(true)
  })

  it('seeds the embedded database, and PostgreSQL only on request', () => {
    const { NODE_ENV: _, ...server } = PRODUCTION
    expect(loadConfig({}).isSeeding).toBe(true)
    expect(loadConfig({ SEED: 'off' }).isSeeding).toBe(false)
    expect(loadConfig(server).isSeeding).toBe(false)
    expect(loadConfig({ ...server, SEED: 'on' }).isSeeding).toBe(true)
    expect(loadConfig(withFlags(server, ['--seed'])).isSeeding).toBe(true)
    expect(loadConfig(PRODUCTION).isSeeding).toBe(false)
    expect(refusal({ ...PRODUCTION, SEED: 'on' })).toEqual([
      '  - SEED: a production database is never seeded; remove SEED and --seed, or start without NODE_ENV=production',
    ])
  })

  it('accepts replicas of its database, and reports each wrong address without showing it', () => {
    const DATABASE_REPLICA_URLS =
      'postgresql://u:hunter3@b.example/gateway, postgres://c.example:5433/gateway'
    expect(loadConfig({ ...PRODUCTION, DATABASE_REPLICA_URLS }).replicaUrls).toEqual([
      'postgresql://u:hunter3@b.example/gateway',
      'postgres://c.example:5433/gateway',
    ])
    expect(loadConfig(PRODUCTION).replicaUrls).toEqual([])
    const wrong = [
      'postgresql://other@DB.example:5432/gateway',
      'mysql://u:hunter3@b.example/gateway',
      'postgresql://b.example/gateway',
      '',
      'postgresql://b.example:5432/gateway',
    ]
    expect(refusal({ ...PRODUCTION, DATABASE_REPLICA_URLS: wrong.join(',') })).toEqual([
      '  - DATABASE_REPLICA_URLS: address 1 of 5 equals DATABASE_URL; list only replicas',
      '  - DATABASE_REPLICA_URLS: address 2 of 5 must begin with postgresql://; write a comma in an address as %2C',
      '  - DATABASE_REPLICA_URLS: address 4 of 5 must begin with postgresql://; write a comma in an address as %2C',
      '  - DATABASE_REPLICA_URLS: address 5 of 5 repeats an earlier one',
    ])
    const nine = Array.from({ length: 9 }, (_, at) => `postgresql://r${at}.example/gateway`).join(',')
    expect(refusal({ ...PRODUCTION, DATABASE_REPLICA_URLS: nine })).toEqual([
      '  - DATABASE_REPLICA_URLS: has 9 addresses; at most 8 are allowed',
    ])
  })

  it('refuses replicas of the embedded database', () => {
    expect(refusal({ DATABASE_REPLICA_URLS: 'postgresql://b.example/gateway' })).toEqual([
      '  - DATABASE_REPLICA_URLS: needs DATABASE_URL, because the embedded database has no replicas',
    ])
  })

  it('reads names of accepted risks, and refuses unknown ones', () => {
    const env = { SQL_ACCEPTED_RISKS: 'row-counts,role-names' }
    expect([...loadConfig(env).sqlAcceptedRisks]).toEqual(['row-counts', 'role-names'])
    expect([...loadConfig({}).sqlAcceptedRisks]).toEqual([])
    expect(refusal({ SQL_ACCEPTED_RISKS: 'row-counts,rows,all' })).toEqual([
      expect.stringContaining('SQL_ACCEPTED_RISKS: rows,all: unknown risk; use names of: temporary-tables, '),
    ])
  })

  it('reads keys of providers, and does not show an invalid one', () => {
    expect(loadConfig({}).providerKeys).toEqual({})
    expect(loadConfig({ BOK_API_KEY: 'ABC123' }).providerKeys).toEqual({ BOK_API_KEY: 'ABC123' })
    expect(refusal({ BOK_API_KEY: 'hunter2/../x' })).toEqual([
      '  - BOK_API_KEY: must be an API key of ECOS: letters and digits',
    ])
    const agent = 'Example Ltd data@example.com'
    expect(loadConfig({ SEC_USER_AGENT: agent }).providerKeys).toEqual({ SEC_USER_AGENT: agent })
    expect(refusal({ SEC_USER_AGENT: 'curl' })).toEqual([
      '  - SEC_USER_AGENT: must be a name and an e-mail address: Example Ltd data@example.com',
    ])
  })

  it.each([
    ['PORT', 'x', 'from 0 to 65535'],
    ['WORKERS', '1.5', 'from 1 to '],
    ['CACHE_BYTES', '-1', 'from 0 to '],
    ['DATABASE_POOL_SIZE', '201', 'from 1 to 200'],
    ['BURST_PER_MINUTE', '0', 'of at least 1'],
  ])('says which whole numbers %s accepts, and the given one', (name, given, bounds) => {
    const [line = ''] = refusal({ [name]: given })
    expect(line).toContain(`${name}: must be a whole number ${bounds}`)
    expect(line).toMatch(new RegExp(`, not ${given}$`))
  })

  it('reads the feeds of headlines, and does not show an invalid one', () => {
    expect(loadConfig({}).newsFeeds).toEqual([])
    const { newsFeeds } = loadConfig({ NEWS_FEEDS: 'https://a.example/rss, https://b.example/atom' })
    expect(newsFeeds).toEqual(['https://a.example/rss', 'https://b.example/atom'])
    expect(refusal({ NEWS_FEEDS: 'http://hunter2.example/' })).toEqual([
      expect.stringMatching(/^ {2}- NEWS_FEEDS: address 1 must be https \(.*, commas as %2C$/),
    ])
  })

  it('reads the nodes of chains by their ids, none by default', () => {
    expect([...loadConfig({}).rpcUrls]).toEqual([])
    const { rpcUrls } = loadConfig({ RPC_URLS_1: 'http://a.example,http://b.example', RPC_URLS_10: '' })
    expect([...rpcUrls]).toEqual([[1, ['http://a.example', 'http://b.example']]])
    expect(refusal({ RPC_URLS_1: 'hunter2', PORT: 'x' })).toEqual([
      expect.stringContaining('PORT: '),
      '  - RPC_URLS_1: must be http or https addresses by comma',
    ])
  })

  it.each([
    [{ PORT: '5000', METRICS_PORT: '5000' }, ['METRICS_PORT']],
    [{ PORT: '4001' }, ['METRICS_PORT']],
    [{ PORT: '4001', METRICS_HOST: '0.0.0.0' }, ['METRICS_PORT']],
  ])('refuses one port for both servers: %j', (env, names) => {
    expect(refused(env)).toEqual(names)
  })

  it.each([
    { PORT: '0', METRICS_PORT: '0' },
    { PORT: '4001', METRICS_HOST: '127.0.0.2' },
  ])('accepts %j, because two servers can listen there', (env) => {
    expect(loadConfig(env).isExposed).toBe(false)
  })

  it('treats an empty variable as not set', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '', NODE_ENV: '', KEY_PEPPER: '' })).toEqual(loadConfig({}))
    expect(refused({ ...PRODUCTION, KEY_PEPPER: '' })).toEqual(['KEY_PEPPER'])
  })

  it('refuses production without its secrets, in one message that explains each', () => {
    expect(refusal({ NODE_ENV: 'production' })).toEqual([
      '  - DATABASE_URL is missing: the PostgreSQL database, postgresql://…',
      '  - KEY_PEPPER is missing: the secret that seals secrets of webhooks and signs links in mails, at least 32 random characters',
      '  - JWT_KEYS is missing: the signing keys of access tokens, kid:base64url[,kid:base64url…]',
    ])
  })

  it('names missing and wrong variables together', () => {
    expect(refused({ NODE_ENV: 'production', PORT: '70000', DATABASE_URL: 'mysql://db' })).toEqual([
      'KEY_PEPPER',
      'JWT_KEYS',
      'PORT',
      'DATABASE_URL',
    ])
  })

  it('accepts a complete production configuration: no development keys, introspection for callers only', () => {
    const config = loadConfig(PRODUCTION)
    expect(config).toMatchObject({ mode: 'production', isDevelopment: false, introspection: 'private' })
    expect(config.keyPepper).toBe(PRODUCTION.KEY_PEPPER)
    expect(databaseTarget(config)).toEqual({
      kind: 'postgres',
      url: PRODUCTION.DATABASE_URL,
      poolSize: 10,
      isPreparing: true,
    })
    expect(databaseTarget(loadConfig({ ...PRODUCTION, DATABASE_PREPARE: 'false' }))).toMatchObject({
      isPreparing: false,
    })
    expect(loadConfig({ ...PRODUCTION, INTROSPECTION: 'public' }).introspection).toBe('public')
  })

  it.each([
    ['NODE_ENV', 'staging'],
    ['PORT', 'abc'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '40.5'],
    ['METRICS_PORT', 'none'],
    ['PUBLIC_URL', 'gateway.example'],
    ['DATABASE_URL', 'mysql://localhost/gateway'],
    ['DATABASE_POOL_SIZE', '0'],
    ['REDIS_URL', 'localhost:6379'],
    ['WORKERS', '0'],
    ['WORKERS', '1.5'],
    ['WORKERS', 'two'],
    ['CACHE_BYTES', '-1'],
    ['CACHE_BYTES', '2147483649'],
    ['CACHE_BYTES', '64MB'],
    ['BURST_PER_MINUTE', '0'],
    ['BURST_PER_MINUTE', '1.5'],
    ['BURST_PER_MINUTE', 'none'],
    ['KEY_PEPPER', 'too short'],
    ['JWT_KEYS', 'a-secret-without-its-kid'],
    ['JWT_KEYS', `k1:${'a'.repeat(42)}`],
    ['JWT_KEYS', `${JWT_KEYS},`],
    ['INTROSPECTION', 'yes'],
    ['UPGRADE_URL', 'pricing'],
    ['TRUST_PROXY', '1'],
    ['PROVIDER_URL_OPENFIGI', 'openfigi'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s by name', (name, value) => {
    expect(refused({ KEY_PEPPER: PRODUCTION.KEY_PEPPER, JWT_KEYS, [name]: value })).toEqual([name])
  })

  it('never repeats a secret that it refuses', () => {
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: 'mysql://gateway:hunter2@db.example/gateway',
      KEY_PEPPER: 'hunter2',
      JWT_KEYS: 'k1:hunter2',
      REDIS_URL: 'http://:hunter2@cache.example',
    }
    expect(refused(env)).toEqual(['DATABASE_URL', 'REDIS_URL', 'KEY_PEPPER', 'JWT_KEYS'])
    expect(refusal(env).join('\n')).not.toContain('hunter2')
  })

  it('accepts the previous pepper beside KEY_PEPPER, which must be another one and secret', () => {
    const other = 'q'.repeat(32)
    const NAME = 'KEY_PEPPER_PREVIOUS'
    expect(loadConfig(PRODUCTION).keyPepperPrevious).toBeNull()
    expect(loadConfig({ ...PRODUCTION, [NAME]: other }).keyPepperPrevious).toBe(other)
    const { keyPepper: known } = loadConfig({})
    for (const env of [{ ...PRODUCTION, [NAME]: PRODUCTION.KEY_PEPPER }, { [NAME]: known }])
      expect(refusal(env)).toEqual([`  - ${NAME}: equals KEY_PEPPER; remove it`])
    for (const value of [known, 'too short'])
      expect(refused({ ...PRODUCTION, [NAME]: value })).toEqual([NAME])
  })

  it('accepts several signing keys, port 0 and rediss://', () => {
    const config = loadConfig({
      JWT_KEYS: `new:${'b'.repeat(43)},old:${'a'.repeat(64)}`,
      PORT: '0',
      REDIS_URL: 'rediss://cache.example:6380',
      TRUST_PROXY: 'true',
    })
    expect(config).toMatchObject({ port: 0, redisUrl: 'rediss://cache.example:6380', trustProxy: true })
    expect(config.jwtKeys.startsWith('new:')).toBe(true)
  })

  it('accepts up to 64 workers on a PostgreSQL database', () => {
    const { NODE_ENV: _, ...development } = PRODUCTION
    expect(loadConfig({ ...development, WORKERS: '2' }).workers).toBe(2)
    expect(loadConfig({ ...PRODUCTION, WORKERS: '64' }).workers).toBe(64)
    expect(refused({ ...development, WORKERS: '65' })).toEqual(['WORKERS'])
  })

  it('refuses the development secrets with DATABASE_URL or a public HOST, and says what to set', () => {
    const lines = (reason: string) => [
      `  - KEY_PEPPER: the development value is public, and ${reason}; create a secret value once and keep it: KEY_PEPPER="$(openssl rand -base64 48)"`,
      `  - JWT_KEYS: the development value is public, and ${reason}; create a secret value once and keep it: JWT_KEYS="k1:$(openssl rand -base64 48 | tr '+/' '-_')"`,
    ]
    const { DATABASE_URL, KEY_PEPPER } = PRODUCTION
    expect(refusal({ DATABASE_URL })).toEqual(lines('DATABASE_URL is set'))
    expect(refusal({ HOST: '0.0.0.0' })).toEqual(lines('other machines can connect to HOST 0.0.0.0'))
    expect(refused({ HOST: '::', KEY_PEPPER })).toEqual(['JWT_KEYS'])
    expect(refused({ NODE_ENV: 'test', HOST: 'gateway.example', JWT_KEYS })).toEqual(['KEY_PEPPER'])
    const known = loadConfig({})
    expect(refused({ ...PRODUCTION, KEY_PEPPER: known.keyPepper })).toEqual(['KEY_PEPPER'])
    expect(refused({ ...PRODUCTION, JWT_KEYS: `${JWT_KEYS},${known.jwtKeys}` })).toEqual(['JWT_KEYS'])
    expect(loadConfig({ HOST: '0.0.0.0', KEY_PEPPER, JWT_KEYS }).host).toBe('0.0.0.0')
    for (const HOST of ['', 'localhost', '127.0.0.1', '127.8.9.10', '::1'])
      expect(loadConfig({ HOST }).jwtKeys).toBe(known.jwtKeys)
  })

  it('refuses several workers on the embedded database, and says what they need', () => {
    expect(refusal({ WORKERS: '2' })).toEqual([
      '  - WORKERS: more than 1 needs DATABASE_URL, because only one process can open the embedded database',
    ])
    expect(refused({ ...PRODUCTION, WORKERS: '2', DATABASE_URL: '' })).toEqual(['DATABASE_URL'])
    expect(loadConfig({ WORKERS: '1' }).databaseUrl).toBeNull()
  })

  it('accepts limits of memory and bursts, including 0 bytes and the maximum', () => {
    expect(loadConfig({ CACHE_BYTES: '0', BURST_PER_MINUTE: '1' })).toMatchObject({
      cacheBytes: 0,
      burstPerMinute: 1,
    })
    expect(loadConfig({ CACHE_BYTES: '2147483648', BURST_PER_MINUTE: '100000' })).toMatchObject({
      cacheBytes: 2_147_483_648,
      burstPerMinute: 100_000,
    })
  })

  it('resolves a relative DATA_DIR against the working directory', () => {
    expect(loadConfig({ DATA_DIR: 'elsewhere' }).dataDir).toBe(resolve('elsewhere'))
    expect(loadConfig({ DATA_DIR: '/var/lib/gateway' }).dataDir).toBe('/var/lib/gateway')
  })
})

describe('the schedule', () => {
  const scheduleOf = (env: NodeJS.ProcessEnv, ...args: string[]) => loadConfig(withFlags(env, args)).schedule

  it('is on in production, off in development and tests, and on with --live, unless SCHEDULE is set', () => {
    expect(scheduleOf(PRODUCTION)).toBe('all')
    expect(scheduleOf({})).toBe('off')
    expect(scheduleOf({ NODE_ENV: 'test' })).toBe('off')
    expect(scheduleOf({}, '--live')).toBe('all')
    expect(scheduleOf({ SCHEDULE: 'forex' }, '--live')).toBe('forex')
    expect(scheduleOf({ ...PRODUCTION, SCHEDULE: 'off' })).toBe('off')
  })
})

describe('the newsletter', () => {
  it('reads the mail server and the other variables that the newsletter needs', () => {
    expect(loadConfig({}).newsletter).toBeNull()
    const mail = {
      SMTP_URL: 'smtps://ada:hunter2@mail.example',
      NEWSLETTER_FROM: 'News <news@gateway.example>',
    }
    expect(loadConfig({ ...mail, NEWSLETTER_RATE: '30' }).newsletter).toEqual({
      server: {
        host: 'mail.example',
        port: 465,
        encryption: 'tls',
        credentials: { user: 'ada', pass: 'hunter2' },
      },
      from: { name: 'News', address: 'news@gateway.example' },
      perMinute: 30,
    })
    expect(refused({ SMTP_URL: mail.SMTP_URL })).toEqual(['NEWSLETTER_FROM'])
    expect(refused({ ...PRODUCTION, ...mail })).toEqual(['PUBLIC_URL'])
    expect(refused({ ...mail, NEWSLETTER_FROM: 'news\nBcc: all@example.org', NEWSLETTER_RATE: '0' })).toEqual(
      ['NEWSLETTER_FROM', 'NEWSLETTER_RATE'],
    )
    const wrong = refusal({ ...mail, SMTP_URL: 'smtp://ada:hunter2@mail.example?starttls=off' })
    expect(wrong.join()).toContain('SMTP_URL: has a password')
    expect(wrong.join()).not.toContain('hunter2')
  })
})

describe('misspelled variable names', () => {
  it('include the chains of the reference', () => {
    const ids = KNOWN_CHAINS.flatMap(({ evmChainId }) => evmChainId ?? [])
    expect(CHAIN_IDS).toEqual(ids.toSorted((a, b) => a - b))
  })

  const faultOf = (env: NodeJS.ProcessEnv) => {
    try {
      loadConfig(env)
      return null
    } catch (error) {
      return error instanceof ConfigError ? error.message : null
    }
  }

  it.each([
    ['DATABSE_REPLICA_URLS', 'did you mean DATABASE_REPLICA_URLS?'],
    ['DATABASE_URLS', 'did you mean DATABASE_URL?'],
    ['TRUST_PROXIES', 'did you mean TRUST_PROXY?'],
    ['CORS_ORIGIN', 'did you mean CORS_ORIGINS?'],
    ['JWT_KEY', 'did you mean JWT_KEYS?'],
    ['log_levl', 'did you mean LOG_LEVEL?'],
    ['RPC_URL_1', 'did you mean RPC_URLS_1?'],
    ['PROVIDERS_URL_ECB', 'did you mean PROVIDER_URL_ECB?'],
    ['RPC_URLS_999', 'unknown chain id; use one of: 1, 10, 56,'],
    ['WEBHOOK_RETRIES', 'the settings guide lists all settings'],
  ])('refuse %s with a suggestion', (name, hint) => {
    expect(faultOf({ [name]: 'https://node.example' })).toContain(`${name}: `)
    expect(faultOf({ [name]: 'https://node.example' })).toContain(hint)
  })

  it.each([
    'XAI_API_KEY',
    'BOT_API_KEY',
    'DATABASE_SERVICE_HOST',
    'REDIS_PORT',
    'WEBHOOK_PORT_80_TCP',
    'HOSTNAME',
    'OTEL_TRACES_SAMPLER',
    'NODE_OPTIONS',
    'PATH',
  ])('ignore the variable %s of another program', (name) => expect(faultOf({ [name]: 'x' })).toBeNull())

  it.each([
    'postgresql://u:p@a:5432,b:5432/gateway',
    'postgresql://a,b/gateway?target_session_attrs=read-write',
    'postgresql:///gateway?host=a,b',
  ])('refuse several hosts in DATABASE_URL by name: %s', (url) => {
    const fault = faultOf({ DATABASE_URL: url, KEY_PEPPER: 'x'.repeat(40), JWT_KEYS: `k:${'y'.repeat(43)}` })
    expect(fault).toContain('DATABASE_URL: must name one host')
  })

  it('refuse one half of the key of Alpaca', () => {
    expect(faultOf({ ALPACA_API_KEY_ID: 'id' })).toContain(
      'ALPACA_API_SECRET_KEY is missing: set ALPACA_API_KEY_ID and ALPACA_API_SECRET_KEY, or none of them',
    )
    expect(faultOf({ ALPACA_API_KEY_ID: 'id', ALPACA_API_SECRET_KEY: 'secret' })).toBeNull()
  })

  it('refuse an unknown option of start', () => {
    expect(startOptionFault(['--live', '--seed', '--help'])).toBeNull()
    expect(startOptionFault(['--sed'])).toContain('did you mean --seed?')
    expect(startOptionFault(['production'])).toContain('use one of: --live, --seed, --help, -h')
  })
})
