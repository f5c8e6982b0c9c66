/** Whether an error has one of these codes, of Node.js (`ENOENT`) or of PostgreSQL (an SQLSTATE). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code)
}
