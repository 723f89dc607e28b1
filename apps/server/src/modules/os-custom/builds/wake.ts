import { backgroundWork } from '../../../lib/background.ts'
import { buildOnce } from './build-work.ts'

/** How many a server builds at the same time; each is of another account, and takes a processor while it packs. */
const at_once = 2

/** Works off builds. What a server that is gone had begun is gone on with, in the step in which it was. */
export const wakeBuilds = backgroundWork('OS builds', buildOnce, { at_once })
