import type { Plugin, YogaServer } from 'graphql-yoga'
import type { DoorContext } from '../platform/door-context.js'

/** A yoga plugin that sees what the doors know of the request. */
export type DoorPlugin = Plugin<object, DoorContext>

/** Yoga's pipeline of plugins for one request; the full type depends on the server and user contexts of the app. */
export type GetEnveloped = (context: object) => ReturnType<YogaServer<object, object>['getEnveloped']>
