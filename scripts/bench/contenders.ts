/** Processes that answer requests, each on a port of its own. */
export const SERVERS = ['bare', 'fastify', 'yoga', 'prisma-include', 'gateway-cold', 'gateway'] as const

export type ServerName = (typeof SERVERS)[number]

/** What is measured: a server, or the same server asked with the ETag it gave. */
export const CONTENDERS = [...SERVERS, 'bare-304', 'gateway-304'] as const

export type ContenderName = (typeof CONTENDERS)[number]

export function serverOf(contender: ContenderName): ServerName {
  switch (contender) {
    case 'bare-304':
      return 'bare'
    case 'gateway-304':
      return 'gateway'
    default:
      return contender
  }
}

export function isConditional(contender: ContenderName): boolean {
  return contender === 'bare-304' || contender === 'gateway-304'
}
