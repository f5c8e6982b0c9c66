/** The backup, or the database that it should go into, does not allow a restore. The message says what to do. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused'
}
