import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import type { World } from '../world.ts'
import type { Feature, Things } from './feature.ts'
import { account } from './features/account.ts'
import { activation } from './features/activation.ts'
import { alert } from './features/alert.ts'
import { apiAuthorisation } from './features/api-authorisation.ts'
import { apiToken } from './features/api-token.ts'
import { appCenter } from './features/app-center.ts'
import { appRequirement } from './features/app-requirement.ts'
import { configFile } from './features/config-file.ts'
import { configProfile } from './features/config-profile.ts'
import { customField } from './features/custom-field.ts'
import { customer } from './features/customer.ts'
import { diskSpace } from './features/disk-space.ts'
import { electronicFence } from './features/electronic-fence.ts'
import { enrolment } from './features/enrolment.ts'
import { fileCloud } from './features/file-cloud.ts'
import { istageCode } from './features/istage-code.ts'
import { istage } from './features/istage.ts'
import { listExport } from './features/list-export.ts'
import { listReport } from './features/list-report.ts'
import { login } from './features/login.ts'
import { maintenanceWindow } from './features/maintenance-window.ts'
import { menuTree } from './features/menu-tree.ts'
import { operationLog } from './features/operation-log.ts'
import { operationTask } from './features/operation-task.ts'
import { opsHome } from './features/ops-home.ts'
import { opsTerminal } from './features/ops-terminal.ts'
import { osCustom } from './features/os-custom.ts'
import { osInformation } from './features/os-information.ts'
import { osUid } from './features/os-uid.ts'
import { osVersion } from './features/os-version.ts'
import { oscsBase } from './features/oscs-base.ts'
import { policy } from './features/policy.ts'
import { pushSchedule } from './features/push-schedule.ts'
import { pushTask } from './features/push-task.ts'
import { pushTemplate } from './features/push-template.ts'
import { role } from './features/role.ts'
import { software } from './features/software.ts'
import { subAccount } from './features/sub-account.ts'
import { terminal } from './features/terminal.ts'
import { terminalApp } from './features/terminal-app.ts'
import { terminalBatch } from './features/terminal-batch.ts'
import { terminalConfig } from './features/terminal-config.ts'
import { terminalDynamicGroup } from './features/terminal-dynamic-group.ts'
import { terminalExport } from './features/terminal-export.ts'
import { terminalFile } from './features/terminal-file.ts'
import { terminalGroup } from './features/terminal-group.ts'
import { terminalLost } from './features/terminal-lost.ts'
import { terminalLocation } from './features/terminal-location.ts'
import { terminalLog } from './features/terminal-log.ts'
import { terminalRemote } from './features/terminal-remote.ts'
import { terminalTelemetry } from './features/terminal-telemetry.ts'
import { userAccount } from './features/user-account.ts'
import { webhook } from './features/webhook.ts'
import type { Refusals } from './refusals.ts'
import type { Stage } from './stage.ts'

/** Every feature, by its name; in the order of the alphabet, in which their rows are made. */
export const features: Record<string, Feature> = {
  account,
  activation,
  alert,
  'api-authorisation': apiAuthorisation,
  'api-token': apiToken,
  'app-center': appCenter,
  'app-requirement': appRequirement,
  'config-file': configFile,
  'config-profile': configProfile,
  'custom-field': customField,
  customer,
  'disk-space': diskSpace,
  'electronic-fence': electronicFence,
  enrolment,
  'file-cloud': fileCloud,
  istage,
  'istage-code': istageCode,
  'list-export': listExport,
  'list-report': listReport,
  login,
  'maintenance-window': maintenanceWindow,
  'menu-tree': menuTree,
  'operation-log': operationLog,
  'operation-task': operationTask,
  'ops-home': opsHome,
  'ops-terminal': opsTerminal,
  'os-custom': osCustom,
  'os-information': osInformation,
  'os-uid': osUid,
  'os-version': osVersion,
  'oscs-base': oscsBase,
  policy,
  'push-schedule': pushSchedule,
  'push-task': pushTask,
  'push-template': pushTemplate,
  role,
  software,
  'sub-account': subAccount,
  terminal,
  'terminal-app': terminalApp,
  'terminal-batch': terminalBatch,
  'terminal-config': terminalConfig,
  'terminal-dynamic-group': terminalDynamicGroup,
  'terminal-export': terminalExport,
  'terminal-file': terminalFile,
  'terminal-group': terminalGroup,
  'terminal-location': terminalLocation,
  'terminal-log': terminalLog,
  'terminal-lost': terminalLost,
  'terminal-remote': terminalRemote,
  'terminal-telemetry': terminalTelemetry,
  'user-account': userAccount,
  webhook,
}
const every = Object.values(features)

export const everyCall: Call[] = Object.values(contract).flatMap((group) => Object.values(group.calls) as Call[])

/** Makes one of everything for a customer and returns the ids. */
export async function makeThings(w: World, customer: number): Promise<Things> {
  const making = { w, customer, call: w.customers[customer]!, device: await w.addDevice({ customer }) }
  const made = {} as Things
  for (const { make } of every) Object.assign(made, await make?.(making, made))
  return made
}

/** The shape of the inputs is known before a world exists; any UUID does for finding where ids stand. */
export const anyThings = new Proxy({} as Things, {
  get: (_, name) =>
    name === 'announced' ? { sn: 'X', registration_code: 'AAAAAA' } : '00000000-0000-7000-8000-000000000000',
})

const featureOf = new Map(every.flatMap((each) => Object.keys(each.inputs(anyThings)).map((path) => [path, each])))
/** An input of a call that parses, with the ids of `t`; names in it are new each time. */
export const validInput = (t: Things, path: string): Record<string, unknown> => featureOf.get(path)!.inputs(t)[path]!

/** How each refusal that a call declares comes about. */
export async function allRefusals(s: Stage): Promise<Refusals> {
  const all: Refusals = {}
  for (const [name, { refusals }] of Object.entries(features))
    for (const [key, refusal] of Object.entries((await refusals?.(s)) ?? {})) {
      if (all[key]) throw new Error(`${key} is said twice, by ${name} and by another feature`)
      all[key] = refusal
    }
  return all
}

type Said = 'open_outside' | 'of_provider' | 'open_to_all' | 'ends_session' | 'destructive' | 'unattributed'
/** Whether a feature says so of a call. */
export const is = (what: Said, call: Call): boolean => every.some((feature) => feature[what]?.includes(call))
