import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { failureText } from '../core/failure-text.js'
import { Environment } from './environment.js'

/** The longest sensible value, a PEM key, has some kilobytes. */
const MAX_FILE_BYTES = 64 * 1024

const SUFFIX = '_FILE'

export interface SettingsWithFiles {
  /** The variables, with the values of the files in place of their names. */
  readonly given: Readonly<Record<string, string | undefined>>
  /** A line for each file that cannot be used. It never has the content of the file. */
  readonly faults: readonly string[]
}

/**
 * Reads the settings that are in files: `NAME_FILE` is the path of a file with the value of the setting NAME, and a file named
 * NAME in `CREDENTIALS_DIRECTORY` is one that systemd provides (`LoadCredential=`). One line break at the end is dropped.
 */
export function withSettingFiles(env: Readonly<Record<string, string | undefined>>): SettingsWithFiles {
  const faults: string[] = []
  const read = new Map<string, string>()
  for (const { name, variable, path } of filesOf(env, faults)) {
    if (env[name] !== undefined || read.has(name)) {
      faults.push(`${variable}: ${name} is set too; remove one of them`)
      continue
    }
    try {
      read.set(name, readSetting(path))
    } catch (error) {
      faults.push(`${variable}: ${failureText(error)}`)
    }
  }
  const rest = Object.entries(env).filter(([variable]) => settingOf(variable) === null)
  return { given: { ...Object.fromEntries(rest), ...Object.fromEntries(read) }, faults }
}

interface SettingFile {
  readonly name: string
  /** What names the file, for messages. */
  readonly variable: string
  readonly path: string
}

function filesOf(
  env: Readonly<Record<string, string | undefined>>,
  faults: string[],
): readonly SettingFile[] {
  const named = Object.entries(env).flatMap(([variable, path]) => {
    const name = settingOf(variable)
    return name === null || path === undefined ? [] : { name, variable, path }
  })
  const directory = env.CREDENTIALS_DIRECTORY
  return directory === undefined ? named : [...named, ...credentialsIn(directory, faults)]
}

/** Other files of the directory are credentials of other programs of the unit. */
function credentialsIn(directory: string, faults: string[]): readonly SettingFile[] {
  try {
    return readdirSync(directory).flatMap((name) =>
      isSetting(name) ? { name, variable: `credential ${name}`, path: join(directory, name) } : [],
    )
  } catch (error) {
    faults.push(`CREDENTIALS_DIRECTORY: ${failureText(error)}`)
    return []
  }
}

/** The setting of a variable that names a file; null for any other variable. */
function settingOf(variable: string): string | null {
  const name = variable.endsWith(SUFFIX) ? variable.slice(0, -SUFFIX.length) : ''
  return isSetting(name) ? name : null
}

function isSetting(name: string): boolean {
  return Object.hasOwn(Environment.shape, name) || /^(RPC_URLS_\d+|PROVIDER_URL_[A-Z_]+)$/.test(name)
}

function readSetting(path: string): string {
  const stats = statSync(path)
  if (!stats.isFile()) throw new Error(`${path} is not a file`) // a pipe would wait for its other end
  if (stats.size > MAX_FILE_BYTES) throw new Error(`${path} has more than ${MAX_FILE_BYTES} bytes`)
  const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  if (text === '') throw new Error(`${path} is empty`)
  return text
}
