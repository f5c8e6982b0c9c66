export interface RedisServerAddress {
  readonly kind: 'server'
  /** What the client of Redis connects to. */
  readonly url: string
}

/** A Redis Cluster. Its other servers are found through any of those that are named here. */
export interface RedisClusterAddress {
  readonly kind: 'cluster'
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly isEncrypted: boolean
  /** Null: the servers require none. */
  readonly username: string | null
  readonly password: string | null
}

export type RedisAddress = RedisServerAddress | RedisClusterAddress

/** A client tries the named servers one after another until one answers. */
const MAX_NODES = 32

const DEFAULT_PORT = 6379

const CLUSTER_FORM = /^(rediss?)\+cluster:\/\/(?:([^@/?#]*)@)?([^@/?#]+)([@/?#].*)?$/

/**
 * Parses `redis://user:password@host:6379` and, for a cluster, `redis+cluster://user:password@host:6379,host:6379`. `rediss`
 * in place of `redis` encrypts. Throws an error with the reason, never the URL.
 */
export function parseRedisUrl(url: string): RedisAddress {
  if (/^rediss?\+cluster:/.test(url)) return parseClusterUrl(url)
  if (!/^rediss?:\/\//.test(url)) {
    throw new Error('must begin with redis://; a cluster is redis+cluster://host:6379,host:6379')
  }
  if (/^[^?#]*,/.test(url.slice(url.lastIndexOf('@') + 1))) {
    throw new Error('names several servers, so it must begin with redis+cluster://')
  }
  if (!URL.canParse(url)) throw new Error('must be a URL: redis://user:password@host:6379')
  return { kind: 'server', url }
}

function parseClusterUrl(url: string): RedisClusterAddress {
  const [, scheme, login = '', servers = '', rest = ''] = CLUSTER_FORM.exec(url) ?? []
  if (scheme === undefined) throw new Error('must be redis+cluster://user:password@host:6379,host:6379')
  if (rest !== '' && rest !== '/') {
    throw new Error('must end with the last server: a cluster has one database and no parameters')
  }
  const urls = servers.split(',').map((server) => toServerUrl(login, server))
  if (urls.length > MAX_NODES) throw new Error(`must name at most ${MAX_NODES} servers of the cluster`)
  return {
    kind: 'cluster',
    nodes: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? DEFAULT_PORT : Number(port),
    })),
    isEncrypted: scheme === 'rediss',
    username: decoded(urls[0]?.username),
    password: decoded(urls[0]?.password),
  }
}

function toServerUrl(login: string, server: string): URL {
  const url = `redis://${login}@${server}`
  if (!/^(\[[^\]]+\]|[^:]+)(:\d+)?$/.test(server) || !URL.canParse(url)) {
    throw new Error('must name each server of the cluster as host:6379, separated by commas')
  }
  return new URL(url)
}

function decoded(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : decodeURIComponent(text)
}

/** The servers that a valid URL names as `host:port`, for messages: without user and password. */
export function redisHosts(url: string): string {
  const address = parseRedisUrl(url)
  if (address.kind === 'server') return new URL(address.url).host
  return address.nodes
    .map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
    .join(', ')
}
