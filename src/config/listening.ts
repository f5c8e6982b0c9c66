/** Whether only this machine can connect to a server that listens on the host. */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Hosts and ports of the two servers of a process. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly metricsHost: string
  readonly metricsPort: number
}

/** Whether both servers would listen on the same port of the same address. */
export function isPortSharedTwice({ host, port, metricsHost, metricsPort }: Listening): boolean {
  const isEverywhere = [host, metricsHost].some((name) => name === '0.0.0.0' || name === '::')
  // For port 0 the system chooses different ports.
  return port !== 0 && port === metricsPort && (host === metricsHost || isEverywhere)
}
