import { osPackageFor, osPackagesOf, osRefusal } from '@mdm/device-link'
import type { OsManifest, OsPackageOf } from '@mdm/device-link'
import { TaskFailure } from '../body/body.ts'
import type { OsBody } from '../body/body.ts'
import { download } from '../bulk.ts'
import type { PayloadOf, TaskContext, TaskKind, TaskResult } from './kind.ts'
import { keptVersion } from './trial.ts'

type Update = PayloadOf<'os'>
const text_max = 500

/**
 * Writes a version into the slot that does not run, restarts into it, and keeps it once it has reported to the server. What was cut off
 * before the restart is done again; after it, the slot says what became of it.
 */
export const os: TaskKind<'os'> = {
  what: 'update the operating system of this device',
  can_repeat: true,

  async fetch(update, context, on_progress) {
    const chosen = await choose(update, context)
    if (chosen) await land(chosen, context, on_progress)
  },

  async execute(update, context) {
    const { id, body, signal } = context
    const slots = slotsOf(context)
    if ((await slots.trial())?.id !== id) {
      const chosen = await choose(update, context)
      if (!chosen) return { text: 'It runs this version already' }
      await write(chosen, update, context)
    }
    const trial = (await slots.trial())!
    if (trial.state === 'written') return body.restart(signal)
    const { note } = await keptVersion(slots, update.confirm_seconds, context)
    return confirmed(slots, note)
  },
}

async function confirmed(slots: OsBody, note: string | undefined): Promise<TaskResult> {
  const { os_version, ver } = await slots.build()
  const text = `Runs ${os_version} (VER ${ver})`
  return { text: note === undefined ? text : `${text}. ${note}`.slice(0, text_max) }
}

function slotsOf({ body }: TaskContext): OsBody {
  if (!body.os) throw new TaskFailure('not_supported', 'This device has no slots for an operating system')
  return body.os
}

type Chosen = { manifest: OsManifest; part: OsPackageOf; url: string }

/** What to fetch; undefined where the device runs the version already. Nothing is believed that is not signed. */
async function choose(update: Update, context: TaskContext, is_full = false): Promise<Chosen | undefined> {
  const manifest = await context.os_keys.verified(update, context.signal)
  const build = await slotsOf(context).build()
  const refusal = osRefusal(build, manifest)
  if (refusal === 'has_version') return undefined
  if (refusal) throw new TaskFailure(refusal, refusals[refusal])
  const parts = osPackagesOf(manifest)
  const part = osPackageFor(
    { ...build, os_formats: slotsOf(context).formats },
    parts.filter(({ from }) => !is_full || from === null),
  )
  const url = part && update.urls[parts.indexOf(part)]
  if (!part || url === undefined)
    throw new TaskFailure('no_package', `There is no package for a device that runs ${build.os_version}`)
  return { manifest, part, url }
}
const refusals = {
  other_uid: 'This version is for devices of another UID',
  version_unknown: 'This device does not know its own version, so it cannot tell whether this one is newer',
  has_newer: 'This device runs a newer version',
}

const fileOf = ({ part: { from: _from, is_delta: _delta, ...file }, url }: Chosen) => ({ ...file, url, path: '/os' })

async function land(chosen: Chosen, context: TaskContext, on_progress: (percent: number) => void) {
  const file = fileOf(chosen)
  const landing = await slotsOf(context).land(file)
  try {
    await download(context.bulk, file, landing, context.signal, (bytes) => on_progress((bytes / file.size) * 100))
  } finally {
    await landing.close()
  }
}

/** `note` is what its result says besides. */
async function write(chosen: Chosen, update: Update, context: TaskContext, note?: string): Promise<void> {
  const slots = slotsOf(context)
  const file = fileOf(chosen)
  const landing = await slots.land(file)
  try {
    // It may have waited for hours, or for a restart, since it was fetched.
    if (landing.digests().sha256 !== file.sha256)
      throw new TaskFailure('hash_mismatch', `${file.name} changed on the device`)
    const place = await landing.place()
    const { manifest, part } = chosen
    await slots.write(
      { id: context.id, manifest, part, place, confirm_seconds: update.confirm_seconds, ...(note && { note }) },
      context.signal,
    )
  } catch (error) {
    const is_broken = error instanceof TaskFailure && error.code === 'package_broken'
    const has_full = chosen.manifest.packages.some(({ from }) => from === null)
    if (!is_broken || chosen.part.from === null || !has_full) throw error
    const full = (await choose(update, context, true))!
    await land(full, context, () => {})
    await write(full, update, context, `With the full package: the difference could not be applied (${error.message})`)
  } finally {
    await landing.close()
  }
}
