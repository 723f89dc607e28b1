import { Line, shaped } from '../wire.ts'

/** As Android has it (`com.acme.scan`) or as Debian has it (`acme-scan`). */
export const AppPackage = Line(200, 1).regex(
  ...shaped('app_package', /^(?:[A-Za-z]\w*(?:\.[A-Za-z]\w*)*|[a-z0-9][a-z0-9+.-]+)$/),
)
export const pushedAppLimits = { apps: 10, packages: 20 } as const
