import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { agentVersion } from '../version.ts'
import type { SystemWork } from '../body/system-work.ts'
import { Misuse, numberOf } from '../options.ts'
import type { Settings } from '../options.ts'
import { agentSlots } from './agent-slots.ts'
import { directWork, helper_state, whatCanBeDone } from './direct.ts'
import type { WorkRules } from './direct.ts'
import { helperWork } from './helper.ts'
import { osToolNames } from './os-tools.ts'
import { socket_path } from './units.ts'

const OsTool = z.enum([...osToolNames, 'none']).optional()

/** What may be done to this machine. */
export const rulesOf = ({ write, packages, ...values }: Settings, data: string): WorkRules => {
  const os_tool = OsTool.safeParse(values['os-tool'])
  if (!os_tool.success) throw new Misuse('--os-tool is rauc, swupdate, mender or none')
  if (packages !== undefined && packages !== 'yes' && packages !== 'no') throw new Misuse('--packages is yes or no')
  const folders = write?.split(',').filter((folder) => folder !== '')
  if (folders?.some((folder) => !folder.startsWith('/'))) throw new Misuse('--write takes whole paths')
  return {
    data,
    packages: packages !== 'no',
    os_tool: os_tool.data,
    swupdate_cert: values['swupdate-cert'],
    swupdate_hardware: values['swupdate-hardware'],
    ...(folders === undefined ? {} : { write: folders }),
  }
}

/** The helper where there is one, else what this process itself may do. */
export function systemOf(values: Settings, data: string): SystemWork {
  const rules = rulesOf(values, data)
  const socket = values.helper ?? socket_path
  if (process.getuid?.() === 0 && values.helper === undefined) return directWork(rules)
  return existsSync(socket) ? helperWork(socket, whatCanBeDone(rules), { state: helper_state }) : directWork(rules)
}

/** Versions of this agent, where a starter takes the one that counts. */
export async function versionsOf(
  values: Settings,
  data: string,
  { log, end }: { log: (line: string) => void; end: (then: 'try' | 'leave') => void },
) {
  const { MDM_AGENT_SLOTS: dir, MDM_AGENT_BASE: base } = process.env
  if (!dir || !base) return undefined
  const trial_seconds = numberOf(values['trial-seconds'], 'trial-seconds', 600, 86_400)
  const versions = await agentSlots({
    dir,
    base,
    packages: join(data, 'packages'),
    version: agentVersion,
    trial_seconds,
    log,
    end,
  })
  // One that is on trial does not outlive the one that watches it.
  if (versions.is_trial) process.on('disconnect', () => process.exit(1))
  return versions
}
