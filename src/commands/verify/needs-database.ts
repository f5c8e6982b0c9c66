const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether the text is the id of a snapshot; otherwise it is the path of a file. */
export function isSnapshotId(what: string): boolean {
  return UUID.test(what)
}

/** Whether the check reads the configured database, and not a gateway or a file. */
export function needsDatabase(args: readonly string[]): boolean {
  const isAsked = args.some((arg) => arg === '--url' || arg.startsWith('--url='))
  if (isAsked || args[0] === 'release') return false
  return args[0] !== 'snapshot' || args.some(isSnapshotId)
}
