// Locks the directory named by the first argument, says so, and stays; or says why it may not.
import { lockDirectory } from '../../../../src/platform/database/embedded/directory-lock.js'

try {
  lockDirectory(process.argv[2] ?? '')
  process.stdout.write('held\n')
  setInterval(() => {}, 1_000)
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
}
