import type { Plugin } from 'graphql-yoga'
import type { DoorContext } from '../platform/door-context.js'

/** A yoga plugin that sees what the doors know of the request. */
export type DoorPlugin = Plugin<object, DoorContext>
