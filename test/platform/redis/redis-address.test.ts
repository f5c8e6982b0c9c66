import { describe, expect, it } from 'vitest'
import { parseRedisUrl, redisHosts } from '../../../src/platform/redis/redis-address.js'

describe('the address of Redis', () => {
  it('of one server is handed to the client as it is', () => {
    for (const url of [
      'redis://localhost',
      'rediss://user:pa,ss@cache.example:6380/2?family=6',
      'redis://[::1]:7000',
    ])
      expect(parseRedisUrl(url)).toEqual({ kind: 'server', url })
  })

  it('of a cluster names servers, which share user, password and encryption', () => {
    expect(parseRedisUrl('rediss+cluster://gateway:p%40ss@a.example:7000,b.example,[::1]:7002')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a.example', port: 7000 },
        { host: 'b.example', port: 6379 },
        { host: '::1', port: 7002 },
      ],
      isEncrypted: true,
      username: 'gateway',
      password: 'p@ss',
    })
    expect(parseRedisUrl('redis+cluster://127.0.0.1:7000/')).toEqual({
      kind: 'cluster',
      nodes: [{ host: '127.0.0.1', port: 7000 }],
      isEncrypted: false,
      username: null,
      password: null,
    })
  })

  it.each([
    ['localhost:6379', 'must begin with redis://; a cluster is redis+cluster://host:6379,host:6379'],
    ['http://:hunter2@cache.example', 'must begin with redis://'],
    ['redis://:hunter2@a:7000,b:7001', 'names several servers, so it must begin with redis+cluster://'],
    ['redis://a:port', 'must be a URL'],
    ['redis+cluster://', 'must be redis+cluster://user:password@host:6379,host:6379'],
    ['redis+cluster://:hunter2@a:7000,', 'must name each server of the cluster as host:6379'],
    ['redis+cluster://a:70000', 'must name each server of the cluster as host:6379'],
    ['redis+cluster://:hunter2@a:7000/1', 'must end with the last server'],
    ['redis+cluster://a:7000?family=6', 'must end with the last server'],
    [`redis+cluster://${Array(33).fill('a').join(',')}`, 'must name at most 32 servers'],
  ])('%s is refused with the reason and without its password', (url, reason) => {
    expect(() => parseRedisUrl(url)).toThrow(reason)
    expect(() => parseRedisUrl(url)).not.toThrow('hunter2')
  })

  it('is shown without user and password', () => {
    expect(redisHosts('redis://gateway:hunter2@cache.example:6380/1')).toBe('cache.example:6380')
    expect(redisHosts('redis+cluster://gateway:hunter2@a:7000,[::1]')).toBe('a:7000, [::1]:6379')
  })
})
