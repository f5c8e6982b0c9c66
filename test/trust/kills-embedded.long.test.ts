import { describeKills } from './kills.js'

describeKills('pglite')
