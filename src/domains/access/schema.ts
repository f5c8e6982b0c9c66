import './account-schema.js'
import './key-schema.js'
