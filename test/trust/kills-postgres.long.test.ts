import { describeKills } from './kills.js'

describeKills('postgres')
