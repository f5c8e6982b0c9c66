const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether that is the name of a snapshot; else it is that of a file. */
export function isSnapshotId(what: string): boolean {
  return UUID.test(what)
}

/** Whether the check reads the configured database: not where a gateway is asked, or a file is checked. */
export function needsDatabase(args: readonly string[]): boolean {
  const isAsked = args.some((arg) => arg === '--url' || arg.startsWith('--url='))
  if (isAsked) return false
  return args[0] !== 'snapshot' || args.some(isSnapshotId)
}
