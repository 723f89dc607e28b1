import type { FileOf, Landing, OsBody, OsBuildOf, Trial } from './body.ts'
import { TaskFailure } from './body.ts'
import * as z from 'zod'
import type { Store } from '../store.ts'
import type { Random } from './random.ts'

type Options = {
  build: OsBuildOf
  random: Random
  now: () => Date
  faults: () => { failing_midway?: number; no_start?: number; trial_ms?: number }
  land: (file: FileOf) => Promise<Landing>
  perform: (what: string) => void
  /** What it runs, for the process after this one. */
  store?: Store | undefined
}

const document = 'simulated_os'
const Kept = z.object({
  uid: z.string(),
  os_version: z.string(),
  version_code: z.number(),
  ver: z.number(),
})

/** Slots that are played: what is downloaded is really downloaded, what is written is the number of a version. */
export function simulateOs({ build, random, now, faults, land, perform, store }: Options) {
  let running = build
  let before = build
  let written: OsBuildOf | undefined
  let trial: Trial | undefined

  const loaded = store?.read(document).then((kept) => {
    // Of another model: the fleet was started with another seed.
    const known = Kept.safeParse(kept).data
    if (known?.uid === build.uid) running = before = known
  })

  const body: OsBody = {
    formats: ['zip'],
    async build() {
      await loaded
      return running
    },
    async land(file) {
      const landing = await land(file)
      const fails = random.next() < (faults().failing_midway ?? 0)
      return {
        get position() {
          return landing.position
        },
        async write(chunk) {
          if (fails && landing.position + chunk.byteLength > file.size / 2)
            throw new TaskFailure('no_space', `${file.name}: no space left on the device (simulated)`)
          await landing.write(chunk)
        },
        digests: () => landing.digests(),
        place: () => landing.place(),
        close: () => landing.close(),
        reset: () => landing.reset(),
      }
    },
    trial: async () => trial,
    async write({ id, manifest: { uid, os_version, version_code, ver }, confirm_seconds }) {
      written = { uid, os_version, version_code, ver }
      trial = { id, state: 'written', confirm_seconds }
      perform(`write ${os_version}`)
    },
    async confirm() {
      if (trial?.state !== 'trying') return
      // One that is not kept yet is left by a process that ends, as by a device that restarts.
      await store?.write(document, running)
      trial = { ...trial, state: 'confirmed' }
    },
    async roll_back(reason) {
      if (trial?.state !== 'trying') return
      running = before
      trial = { ...trial, state: 'rolled_back', reason }
      perform(`roll back to ${running.os_version}`)
    },
  }

  /** What a start does; how much longer it takes than others. */
  function start(): number {
    if (trial?.state === 'trying') void body.roll_back('The device restarted before the new version reached the server')
    if (trial?.state !== 'written' || !written) return 0
    before = running
    if (random.next() < (faults().no_start ?? 0)) {
      trial = { ...trial, state: 'rolled_back', reason: 'The new version did not start' }
      perform(`roll back to ${running.os_version}`)
      return faults().trial_ms ?? trial.confirm_seconds * 1_000
    }
    running = written
    const until = new Date(now().getTime() + trial.confirm_seconds * 1_000).toISOString()
    trial = { ...trial, state: 'trying', until }
    perform(`start ${running.os_version}`)
    return 0
  }
  return { body, start, build: () => running, loaded }
}
