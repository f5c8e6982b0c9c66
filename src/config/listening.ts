/** Whether only this machine reaches a server that listens there. */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Where the two servers of a process listen. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly metricsHost: string
  readonly metricsPort: number
}

/** Whether both are to have one port of one address; two addresses of a machine may have the same port each. */
export function isPortSharedTwice({ host, port, metricsHost, metricsPort }: Listening): boolean {
  const isEverywhere = [host, metricsHost].some((name) => name === '0.0.0.0' || name === '::')
  // Where 0 is given the system chooses.
  return port !== 0 && port === metricsPort && (host === metricsHost || isEverywhere)
}
