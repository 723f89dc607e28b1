import { randomBytes } from 'node:crypto'
import { osBuildSteps } from '@mdm/contract'
import type { OsBuildDetail, OsBuildStep } from '@mdm/contract'
import { zipOf } from '@mdm/server/testing/zip.ts'
import { expect, test } from 'vitest'
import { addUidOf } from '../demo-os.ts'
import { until } from '../until.ts'
import { uploadFile } from '../upload.ts'
import { killableServer } from './killable.ts'
import type { Killable } from './killable.ts'

/** Large enough for each step to be met: a few tenths of a second of copying, a second of packing. */
const bytes = 24 * 1024 ** 2
const uid = 'NM11602S1E0ENGEN0001'
/** How long one may take on a busy machine, also until it is in its last step. */
const build_seconds = 420

async function prepared({ operator, customer }: Killable): Promise<string> {
  const uid_kid = await addUidOf(operator, uid, 'Kill')
  const large = (name: string) => zipOf([[`DOWNLOAD/${name}`, randomBytes(bytes)]])
  const { kid: model_kid } = await operator.opsOscsModel.insert({
    code: 'KILL',
    uid_kid,
    sum_upload_kid: await uploadFile(operator, 'sum.zip', await large('vendor.img')),
  })
  const { kid: base_kid } = await operator.opsOscsBase.insert({
    model_kid,
    base_os_version: 'kill_9.00.1',
    version_code: 1,
    os_upload_kid: await uploadFile(operator, `${uid}.zip`, await large('system.img')),
    config_upload_kid: await uploadFile(operator, 'config.zip', await zipOf([['DOWNLOAD/etc/a', 'a']])),
  })
  await until(
    'the packages to be checked',
    async () => (await customer.osCustom.list_base({})).some(({ kid }) => kid === base_kid),
    180,
  )
  const files = await Promise.all(
    [1, 2].map(async (n) => {
      const upload_kid = await uploadFile(customer, `large-${n}.bin`, randomBytes(bytes))
      return { file_kid: (await customer.fileCloud.insert({ upload_kid, name: `large-${n}.bin` })).kid, path: '/data' }
    }),
  )
  return (await customer.osCustom.insert({ name: 'Kill', base_kid, files })).kid
}

const over = (server: Killable, kid: string): Promise<OsBuildDetail> =>
  until(
    'the build to be over',
    async () => {
      const build = await server.customer.osCustom.get_build({ kid })
      return ['waiting', 'running'].includes(build.state) ? undefined : build
    },
    build_seconds,
  )

/** Kills the server while a build is in a step. Whether it was, the log of the build tells. */
async function killedIn(server: Killable, kid: string, step: OsBuildStep): Promise<OsBuildDetail> {
  const { build_kid } = await server.customer.osCustom.recustomise({ kid })
  const at = osBuildSteps.indexOf(step)
  await until(
    `the build to be ${step}`,
    async () => {
      const build = await server.customer.osCustom.get_build({ kid: build_kid })
      return build.state !== 'running' ? build.state !== 'waiting' : osBuildSteps.indexOf(build.step) >= at
    },
    build_seconds,
  )
  await server.killAndRestart()
  return over(server, build_kid)
}
const stepsResumed = ({ lines }: OsBuildDetail): OsBuildStep[] =>
  lines.filter(({ event }) => event === 'resumed').map(({ step }) => step)

// The last step is one transaction: how it is begun again is tried where it can be stopped at will (os-custom.test.ts).
test(
  'a server that is killed in any step of a build goes on after its restart, and the package is the same',
  async () => {
    await using server = await killableServer()
    const kid = await prepared(server)
    const first = await over(server, (await server.customer.osCustom.recustomise({ kid })).build_kid)
    expect(first.state).toBe('completed')
    const killed_in = new Set<OsBuildStep>()
    for (const step of osBuildSteps.slice(0, -1))
      for (let tries = 0; tries < 4 && !killed_in.has(step); tries += 1) {
        const build = await killedIn(server, kid, step)
        expect(build).toMatchObject({ state: 'completed', sha256: first.sha256, size: first.size, release: 'draft' })
        for (const resumed of stepsResumed(build)) killed_in.add(resumed)
      }
    expect([...killed_in]).toEqual(expect.arrayContaining(osBuildSteps.slice(0, -1)))
    const builds = await server.customer.osCustom.list_build({ kid })
    // Each became one version, and no more.
    expect(new Set(builds.map(({ os_version_kid }) => os_version_kid)).size).toBe(builds.length)
  },
  20 * 60_000,
)
