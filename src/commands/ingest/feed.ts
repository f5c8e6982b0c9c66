import { type BoundFeed, IngestError } from '../../ingest/feed.js'
import type { FeedGroup, GroupCommand } from '../../ingest/feed-group.js'
import { FEED_GROUPS, HELP_SECTIONS } from '../../ingest/feed-groups.js'
import { FEEDS } from '../../ingest/registry.js'
import { transportsWith } from '../../ingest/run/ask-for-body.js'
import { type BodySource, usualSourceOf } from '../../ingest/run/feed-body.js'
import { type RunProgress, runFeed } from '../../ingest/run/run-feed.js'
import { reportOfRun } from '../../ingest/run-report.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import { UsageError } from '../usage-error.js'
import type { IngestCommand, Options, World } from './command.js'
import { assertTaken, selectionOf } from './selection.js'

const BAR_WIDTH = 30
const CLEAR_LINE = '\r\u001b[K'

/** The commands that run a group, by name. */
export const GROUP_COMMANDS: ReadonlyMap<string, IngestCommand> = new Map(
  FEED_GROUPS.flatMap((group) => (group.command ? [[group.name, ingestGroup(group, group.command)]] : [])),
)

/** Creates the command of a group. The feed of the registry with its name reads a file, if there is one. */
function ingestGroup(group: FeedGroup, command: GroupCommand): IngestCommand {
  const { name, keyVariable } = group
  const ofFile = FEEDS.find(({ feed }) => feed.id === name)
  return async (world, options) => {
    const selection = selectionOf(name, command, options)
    if (selection.source.kind === 'live') assertProviderKey({ id: name, keyVariable }, world.providerKeys)
    else if (ofFile !== undefined) return ingestFeed(ofFile)(world, options)
    return group.run({ ...world, ...transportsWith(world.http) }, selection)
  }
}

/** Creates the command that runs one feed. */
export function ingestFeed(bound: BoundFeed): IngestCommand {
  return async (world, options) => {
    const { call, providerKeys } = world
    const source = sourceOf(bound, options)
    if (source.kind === 'live') assertProviderKey(bound.feed, providerKeys)
    const deps = { ...world, ...transportsWith(world.http) }
    const summary = await runFeed(deps, bound, source, (progress) =>
      show(call, progressText(progress)),
    ).finally(() => show(call, CLEAR_LINE))
    return reportOfRun(bound.feed.id, summary)
  }
}

/** The help text of all feeds, and of the groups by section. */
export function feedsHelp(): string {
  const feeds = FEEDS.map(({ feed: { id, description, provider, cadence, fileNames = [] } }) => {
    const files = fileNames.length === 0 ? [] : [`files: ${fileNames.join(', ')}`]
    return helpEntry(id, [description, `${provider.attribution}; ${cadence}`, ...files])
  })
  const sections: readonly (readonly [string, readonly FeedGroup[]])[] = Object.entries(HELP_SECTIONS)
  const entries = sections.map(([title, groups]) => {
    const texts = groups.map(({ name, command }) => (command?.help ? helpEntry(name, command.help) : ''))
    return `\n${title}:\n${texts.join('')}`
  })
  return `Feeds:\n${feeds.join('')}${entries.join('')}`
}

function helpEntry(name: string, [what, ...lines]: NonNullable<GroupCommand['help']>): string {
  const indent = ' '.repeat(17)
  return `  ${name.padEnd(14)} ${what}\n${lines.map((line) => `${indent}${line}\n`).join('')}`
}

function sourceOf({ feed }: BoundFeed, options: Options): BodySource {
  const { isWhole } = options
  if (isWhole && feed.dataset !== 'screening' && feed.dataset !== 'instruments')
    throw new UsageError('--whole is only for sanctions lists and for lists of instruments')
  assertTaken([], options)
  const [path, ...more] = options.files
  if (more.length > 0 && feed.takesSeveralFiles !== true)
    throw new UsageError(`${feed.id} needs one file; got ${options.files.join(' ')}`)
  if (path !== undefined) return { kind: 'file', path, more, isSaidWhole: isWhole }
  const usual = usualSourceOf(feed)
  return usual.kind === 'live' ? { ...usual, isSaidWhole: isWhole } : usual
}

/** Throws IngestError for a live run of a feed whose key is not configured. */
function assertProviderKey(
  { id, keyVariable }: Pick<BoundFeed['feed'], 'id'> & Pick<FeedGroup, 'keyVariable'>,
  keys: ProviderKeys,
): void {
  if (keyVariable === undefined || keys[keyVariable] !== undefined) return
  throw new IngestError(`${id} is off; set ${keyVariable}, or give a file by --file`)
}

function show({ err, isTerminal }: World['call'], text: string): void {
  if (isTerminal) err(text)
}

function progressText({ fraction, rows, rejected }: RunProgress): string {
  const filled = Math.round(fraction * BAR_WIDTH)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
  const share = String(Math.round(fraction * 100)).padStart(3)
  return `\r${bar} ${share} %  ${rows} rows${rejected > 0 ? `, ${rejected} rejected` : ''}`
}
