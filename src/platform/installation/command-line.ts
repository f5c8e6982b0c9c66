/** What an operator runs. */
type CommandName = 'start' | 'ingest' | 'analyse' | 'key' | 'admin' | 'verify' | 'release'

/** Whether this code runs from an installed package. In a checkout npm runs the commands. */
const IS_PACKAGE = import.meta.url.includes('/node_modules/')

/** How a command is called in this installation, for help and advice: `npm run ingest --`. */
export function commandLine(command: CommandName): string {
  if (IS_PACKAGE) return `market-data-gateway ${command}`
  return command === 'start' ? 'npm start' : `npm run ${command} --`
}
