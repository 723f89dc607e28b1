import type { SharedWork } from '../../../../lib/background.ts'
import { buildOnce } from './build-work.ts'

/** What a server that is gone had begun is gone on with, in the step in which it was. Each takes a processor while it packs. */
export const osBuilds: SharedWork = { name: 'os_builds', every_ms: 5_000, at_once: 2, run: buildOnce }
