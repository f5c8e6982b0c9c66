/** Addresses per chain: more only take longer to fail. */
const MAX_URLS = 5

const NAME = /^RPC_URLS_(\d+)$/

/** JSON-RPC addresses by EIP-155 chain id, in the order in which they are tried. */
export type RpcUrls = ReadonlyMap<number, readonly string[]>

/** The variables `RPC_URLS_<chain_id>`, and a line for each invalid one. */
export function parseRpcUrls(env: Readonly<Record<string, string | undefined>>): {
  readonly urls: RpcUrls
  readonly faults: readonly string[]
} {
  const urls = new Map<number, readonly string[]>()
  const faults: string[] = []
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('RPC_URLS_') || !text) continue
    const chainId = Number(NAME.exec(name)?.[1])
    const given = text.split(',').map((url) => url.trim())
    const fault = faultOf(chainId, given)
    if (fault === null) urls.set(chainId, given)
    else faults.push(`${name}: ${fault}`)
  }
  return { urls, faults }
}

function faultOf(chainId: number, urls: readonly string[]): string | null {
  const isChain = Number.isSafeInteger(chainId) && chainId > 0 && chainId < 2 ** 31
  if (!isChain) return 'must end with a chain id, e.g. RPC_URLS_1 for Ethereum'
  if (urls.length > MAX_URLS) return `must have at most ${MAX_URLS} addresses`
  // The address is not shown, because it may contain a key.
  return urls.every(isHttpUrl) ? null : 'must be http or https addresses by comma'
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
