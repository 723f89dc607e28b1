import { OsManifest, osPackageFor, osPackagesOf, osRefusal } from '@mdm/device-link'
import { inabilities } from '@mdm/contract'
import type { Down, OsPackageOf, Up } from '@mdm/device-link'
import { cannot } from './refusals.ts'
import type { Ended } from './refusals.ts'

export type OsWork = {
  file: Omit<OsPackageOf, 'from' | 'is_delta'> & { url: string }
  build: { os_version: string; version_code: number; ver: number }
}

const refusals = {
  other_uid: 'This version is for devices of another UID',
  version_unknown: 'The device does not say its version, so nobody can tell whether this one is newer',
  has_newer: 'This device runs a newer version',
}

/** What an agent that installs systems and does nothing else has to fetch for a task, or what becomes of the task at once. */
export function osWorkOf(task: Down['task'], inventory: Up['hello']['inventory'], origin: string): Ended | OsWork {
  if (task.type !== 'os') return cannot('not_supported', inabilities.updates_only.en)
  if (task.network === 'wifi') return cannot('not_supported', 'The agent does not tell its network')
  const { uid = '', os_version = '', os_formats = [], version_code = null, ver = null } = inventory
  const device = { uid, os_version, os_formats, version_code, ver }
  const manifest = OsManifest.parse(JSON.parse(task.payload.manifest))
  const refusal = osRefusal(device, manifest)
  if (refusal === 'has_version') return { state: 'completed', result: { text: 'It runs this version already' } }
  if (refusal) return cannot(refusal, refusals[refusal])
  const packages = osPackagesOf(manifest)
  const one = osPackageFor(device, packages)
  const url = one && task.payload.urls[packages.indexOf(one)]
  if (!one || url === undefined) return cannot('no_package', 'There is no package that its agent can apply')
  const { from: _from, is_delta: _delta, ...file } = one
  const build = { os_version: manifest.os_version, version_code: manifest.version_code, ver: manifest.ver }
  return { file: { ...file, url: new URL(url, origin).href }, build }
}
