import * as z from 'zod'
import { Line, shaped } from '../wire.ts'

/** As Android has it (`com.acme.scan`) or as Debian has it (`acme-scan`). */
export const AppPackage = Line(200, 1).regex(
  ...shaped('app_package', /^(?:[A-Za-z]\w*(?:\.[A-Za-z]\w*)*|[a-z0-9][a-z0-9+.-]+)$/),
)
/** What is wrong with an app's file. */
export const packageErrors = ['apk_invalid', 'apk_unsigned', 'apk_beyond_limits'] as const
export const pushedAppLimits = { apps: 10, packages: 20 } as const
/** "An integer without dots" (specification, 5): 3.2.0 is entered as 320. */
export const VersionCode = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
