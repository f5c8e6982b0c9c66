import { definePort } from './ports.js'

/** Public URL of the gateway without a slash at the end: the beginning of links in answers. */
export const publicUrlPort = definePort<string>('public-url')
