/** More replicas need a load balancer; this also bounds connections and labels of metrics. */
export const MAX_REPLICAS = 8

const DEFAULT_PORT = '5432'

export function parseReplicaUrls(text: string): readonly string[] {
  return text.split(',').map((url) => url.trim())
}

/**
 * The faults in a list of replica addresses, one line each. Addresses are named by their position, because they may contain
 * passwords.
 */
export function replicaUrlFaults(text: string, primaryUrl: string | undefined): readonly string[] {
  const urls = parseReplicaUrls(text)
  const primary = primaryUrl === undefined ? null : serverOf(primaryUrl)
  const servers = urls.map(serverOf)
  const faults = servers.flatMap((server, at) => {
    const place = `address ${at + 1} of ${urls.length}`
    if (server === null) return [`${place} must begin with postgresql://; write a comma in an address as %2C`]
    if (server === primary) return [`${place} equals DATABASE_URL; list only replicas`]
    return servers.indexOf(server) < at ? [`${place} repeats an earlier one`] : []
  })
  const tooMany =
    urls.length > MAX_REPLICAS ? [`has ${urls.length} addresses; at most ${MAX_REPLICAS} are allowed`] : []
  const alone =
    primaryUrl === undefined ? ['needs DATABASE_URL, because the embedded database has no replicas'] : []
  return [...alone, ...tooMany, ...faults]
}

/** Host, port and database; null if the text is not an address of a PostgreSQL server. */
function serverOf(url: string): string | null {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) return null
  const { hostname, port, pathname } = new URL(url)
  return hostname === '' ? null : `${hostname.toLowerCase()}:${port || DEFAULT_PORT}${pathname}`
}
