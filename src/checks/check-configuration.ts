import { type Config, ConfigError, databaseTarget, loadConfig } from '../config.js'
import { failureText } from '../core/failure-text.js'
import { parseTokenKeys } from '../platform/secrets/secrets.js'
import { type Finding, ok, problem } from './finding.js'

const CHECK = 'configuration'

/** Examples of variables whose format is not obvious. */
const EXAMPLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'DATABASE_URL=postgresql://user:password@host:5432/database',
  REDIS_URL: 'REDIS_URL=redis://host:6379',
  KEY_PEPPER: 'KEY_PEPPER="$(openssl rand -base64 48)"; create it once and keep it',
  JWT_KEYS: `JWT_KEYS="k1:$(openssl rand -base64 48 | tr '+/' '-_')"; create it once and keep it`,
}

/** Loads the configuration. Returns null and all problems if it is invalid. */
export function checkConfiguration(env: NodeJS.ProcessEnv): {
  readonly config: Config | null
  readonly findings: readonly Finding[]
} {
  try {
    const config = loadConfig(env)
    parseTokenKeys(config.jwtKeys) // finds problems that the pattern cannot, such as a repeated kid
    return { config, findings: [shapeOf(config), secretsOf(config)] }
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      return { config: null, findings: [mistake(`JWT_KEYS: ${failureText(error)}`)] }
    }
    const wrong = error.message.split(/\n *- /).slice(1)
    return { config: null, findings: wrong.map(mistake) }
  }
}

/** `line` begins with the name of the variable. */
function mistake(line: string): Finding {
  const [name = ''] = /^\w+/.exec(line) ?? []
  const example = EXAMPLES[name]
  return problem(CHECK, line, example ? `set ${example}` : `correct ${name}, or remove it to use its default`)
}

function shapeOf(config: Config): Finding {
  const target = databaseTarget(config)
  const database = target.kind === 'postgres' ? 'PostgreSQL' : `embedded database in ${config.dataDir}`
  const redis = config.redisUrl === null ? 'no Redis' : 'Redis'
  return ok(CHECK, `${config.mode}; ${database}; ${redis}; listens on ${config.host}:${config.port}`)
}

/** An exposed gateway never starts with development values, so they are not a problem here. */
function secretsOf(config: Config): Finding {
  const known = loadConfig({})
  const isDevelopment = [config.keyPepper, config.jwtKeys].some((secret) =>
    [known.keyPepper, known.jwtKeys].includes(secret),
  )
  const message = isDevelopment
    ? 'development values, which only this machine can use'
    : 'set for this installation'
  return ok('secrets', message)
}
