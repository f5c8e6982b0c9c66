// The order is that of the root fields.
import './all-series-schema.js'
import './bis/catalogue-schema.js'
import './publisher-schema.js'
import './bis/schema.js'
