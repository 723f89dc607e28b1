import { agent_package, AgentManifest } from '@mdm/device-link'
import type { AppToInstall } from '@mdm/device-link'
import { TaskFailure } from '../body/body.ts'
import type { SelfBody } from '../body/body.ts'
import { jsonOf } from '../os-keys.ts'
import type { TaskContext } from './kind.ts'
import { keptVersion } from './trial.ts'

const text_max = 500

export const isAgent = ({ package: name }: Pick<AppToInstall, 'package'>): boolean => name === agent_package

/** That this agent may become that one. Nothing is believed that is not signed. */
export async function assertAgent(app: AppToInstall, { body, os_keys, signal }: TaskContext): Promise<SelfBody> {
  if (!body.self)
    throw new TaskFailure('not_supported', 'This agent was not started by its package: it cannot try another version')
  if (!app.signed) throw new TaskFailure('os_unsigned', 'The server has not signed this version of the agent')
  await os_keys.assertSigned(app.signed, signal)
  const said = AgentManifest.safeParse(jsonOf(app.signed.manifest)).data
  if (said?.package !== app.package || said.version !== app.version || said.sha256 !== app.file.sha256)
    throw new TaskFailure('os_manifest_bad', 'What is signed is not this version of the agent')
  return body.self
}

/**
 * Starts the new version on trial; where that is over, what became of it. Undefined: this agent ends now, and the one that comes after it
 * goes on from here.
 */
export async function upgradeAgent(app: AppToInstall, context: TaskContext): Promise<string | undefined> {
  const { id, body, signal } = context
  if ((await body.self?.trial())?.id !== id) {
    const self = await assertAgent(app, context)
    const landing = await body.apps.land(app)
    try {
      if (landing.digests().sha256 !== app.file.sha256)
        throw new TaskFailure('hash_mismatch', `${app.file.name} changed on the device`)
      await self.write({ id, kind: app.kind, place: await landing.place() }, signal)
    } finally {
      await landing.close()
    }
  }
  const self = body.self!
  const { state, confirm_seconds } = (await self.trial())!
  if (state === 'written') {
    self.restart()
    return undefined
  }
  await keptVersion(self, confirm_seconds, context)
  return `Runs ${self.version}${await installForGood(app, context)}`
}

/** The books of the system and the helper follow what has proved itself. Where they cannot, it runs from its slot. */
async function installForGood(app: AppToInstall, { body, signal }: TaskContext): Promise<string> {
  if (app.kind !== 'deb') return ''
  const landing = await body.apps.land(app)
  try {
    if (landing.digests().sha256 !== app.file.sha256) throw new Error('the package is not there any more')
    await body.apps.install(app, landing, signal)
    return ''
  } catch (error) {
    signal.throwIfAborted()
    return `, from its own folder: the package could not be installed (${(error as Error).message})`.slice(0, text_max)
  } finally {
    await landing.close()
  }
}
