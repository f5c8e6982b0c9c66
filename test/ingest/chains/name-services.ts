import { listen } from '../../support/peers/sockets.js'

/** Sourcify and Etherscan, played by one server. */
export interface PlayedNameServices {
  /** PROVIDER_URL_… of both. */
  readonly urls: { readonly sourcify: string; readonly etherscan: string }
  /** Names by lower-case address, at each of the two. */
  readonly sourcify: Map<string, string>
  readonly etherscan: Map<string, string>
  /** An answer in place of Sourcify's own; null: its own. */
  instead: { readonly status: number; readonly body: string } | 'silence' | null
  /** Paths with queries, in the order received. */
  readonly asked: string[]
  close(): Promise<void>
}

export async function openNameServices(): Promise<PlayedNameServices> {
  const server = await listen((request, response) => {
    const url = new URL(request.url ?? '/', 'http://played')
    services.asked.push(url.pathname + url.search)
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname.startsWith('/etherscan/')) {
      const name = services.etherscan.get(url.searchParams.get('address') ?? '')
      json(200, { status: '1', message: 'OK', result: [{ SourceCode: '', ContractName: name ?? '' }] })
      return
    }
    if (services.instead === 'silence') return
    if (services.instead !== null) {
      response.writeHead(services.instead.status).end(services.instead.body)
      return
    }
    const name = services.sourcify.get(url.pathname.split('/').at(-1) ?? '')
    if (name === undefined) json(404, { match: null, creationMatch: null, runtimeMatch: null })
    else json(200, { match: 'exact_match', compilation: { language: 'Solidity', name } })
  })
  const services: PlayedNameServices = {
    urls: { sourcify: `${server.url}/sourcify`, etherscan: `${server.url}/etherscan` },
    ...{ sourcify: new Map(), etherscan: new Map(), instead: null, asked: [] },
    close: server.close,
  }
  return services
}
