import type { CompatInterfaceName } from '../../policy/compat-interfaces.js'
import { CELL } from './cell/cell.js'
import type { CompatInterface } from './compat-interface.js'
import { FRANKFURTER } from './frankfurter/frankfurter.js'
import { FRED } from './fred/fred.js'
import { OPENBB } from './openbb/openbb.js'
import { SDMX } from './sdmx/sdmx.js'
import { UDF } from './udf/udf.js'

export const INTERFACES: Readonly<Record<CompatInterfaceName, CompatInterface>> = {
  cell: CELL,
  frankfurter: FRANKFURTER,
  fred: FRED,
  openbb: OPENBB,
  sdmx: SDMX,
  udf: UDF,
}
