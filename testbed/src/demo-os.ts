import { informationKeys, informationLists, isOsOut, kidOf, splitUid } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import { models } from '@mdm/agent/body/simulated-models.ts'
import { zipOf } from '@mdm/server/testing/zip.ts'
import type { Caller } from './caller.ts'
import { findOrMake } from './demo-callers.ts'
import type { DemoCallers } from './demo-callers.ts'
import { releaseOs } from './os-release.ts'
import { draftOf, groupOf } from './sweeps/shared/information.ts'
import { until } from './until.ts'
import { uploadFile } from './upload.ts'

const names: Record<string, string> = {
  client_code: 'General',
  solution: 'Northmark',
  hardware: 'Handheld',
  ram_memory: '2 GB',
  rom_memory: '16 GB',
  screen: '4 inch touch screen',
  extended: 'None',
  language: 'English',
}

/** The UID that devices of a model report, from rows of the lists that its parts stand for. */
export async function addUidOf(operator: Caller, code: string, display_name: string): Promise<string> {
  const parts = splitUid(code)!
  const kids = {} as Record<UidKid, string>
  for (const [at, key] of informationKeys.entries()) {
    const { name } = informationLists[key]
    const own = parts.find(({ part }) => part === name)!.code
    const draft = { ...draftOf(key, 200 + at, names[name] ?? own), code: own }
    const calls = operator[groupOf(key)]
    const row = await findOrMake(
      calls.paging({ text: own }),
      ({ code }) => code === own,
      () => calls.insert(draft),
    )
    kids[kidOf(name)] = row.kid
  }
  const reserve_code = parts.at(-1)!.code
  return (await operator.opsUid.insert({ type: 'standard', ...kids, reserve_code, display_name })).kid
}

/** The UID of the second model of simulated devices, of which the demo releases nothing. */
export async function addOtherUid(operator: Caller): Promise<{ code: string; display_name: string }> {
  const { uid, model } = models[1]!
  const display_name = `Handheld ${model}`
  await addUidOf(operator, uid, display_name)
  return { code: uid, display_name }
}

/** A model with its platform package and a base version, whose packages were found sound. */
export async function addBaseVersion(
  operator: Caller,
  { uid_kid, uid, model, version }: { uid_kid: string; uid: string; model: string; version: string },
): Promise<string> {
  const upload = async (name: string, entries: [string, string][]) => uploadFile(operator, name, await zipOf(entries))
  const code = model.toUpperCase()
  const base_os_version = `${model}_${version}`
  const { kid: model_kid } = await findOrMake(
    operator.opsOscsModel.paging({ text: code }),
    (row) => row.code === code,
    async () =>
      operator.opsOscsModel.insert({
        code,
        name: `Handheld ${model}`,
        uid_kid,
        sum_upload_kid: await upload(`${model}_sum.zip`, [['DOWNLOAD/vendor/firmware.bin', `firmware of ${model}`]]),
      }),
  )
  const { kid } = await findOrMake(
    operator.opsOscsBase.paging({ model_kid }),
    (row) => row.base_os_version === base_os_version,
    async () =>
      operator.opsOscsBase.insert({
        model_kid,
        base_os_version,
        version_code: 90,
        os_upload_kid: await upload(`${model}_${uid}_full.zip`, [['DOWNLOAD/system.img', `system ${version}`]]),
        config_upload_kid: await upload(`${model}_config.zip`, [['DOWNLOAD/etc/base.properties', 'ro.demo=1\n']]),
      }),
  )
  await until('the packages of the base version', async () => {
    const { os, config } = await operator.opsOscsBase.get({ kid })
    const { sum } = await operator.opsOscsModel.get({ kid: model_kid })
    return [os, config, sum].every(({ state }) => state === 'ready')
  })
  return kid
}

const { uid, model } = models[0]
const uidOf = (operator: Caller) =>
  findOrMake(
    operator.opsUid.paging({ text: uid }),
    (row) => row.code === uid,
    async () => ({ kid: await addUidOf(operator, uid, `Handheld ${model}`) }),
  )

/** A version above those that simulated devices of the first model run, released for all customers. */
export async function releaseOsForDemo({ operator }: DemoCallers): Promise<void> {
  const { kid: uid_kid } = await uidOf(operator)
  const [version] = (await operator.opsOsVersion.paging({ uid_kid })).items
  if (version && isOsOut(version.state)) return
  // A start that was interrupted has left a draft.
  if (version) await operator.opsOsVersion.delete({ kid: version.kid })
  await releaseOs(operator, { uid_kid, uid, version: { os_version: '9.02.001', version_code: 4, ver: 40 } })
}

/** One model, one base version of it and one custom OS, whose build has ended when this answers. */
export async function buildCustomOsForDemo({ operator, customer }: DemoCallers): Promise<void> {
  const { kid: uid_kid } = await uidOf(operator)
  const base_kid = await addBaseVersion(operator, { uid_kid, uid, model, version: '9.02.001' })
  const file_name = 'welcome.txt'
  const { kid: file_kid } = await findOrMake(
    customer.fileCloud.paging({ text: file_name }),
    (row) => row.name === file_name,
    async () =>
      customer.fileCloud.insert({
        upload_kid: await uploadFile(customer, file_name, Buffer.from('Welcome to Sunrise Parcel\n')),
        name: file_name,
      }),
  )
  const name = 'Driver handheld'
  const { kid } = await findOrMake(
    customer.osCustom.paging({ text: name }),
    (row) => row.name === name,
    () =>
      customer.osCustom.insert({
        name,
        base_kid,
        files: [{ file_kid, path: '/storage/emulated/0/Documents' }],
        remark: 'For new handhelds of drivers',
      }),
  )
  if (!(await customer.osCustom.get({ kid })).build) await customer.osCustom.recustomise({ kid })
  await until('the build of the custom OS', async () => {
    const { build } = await customer.osCustom.get({ kid })
    if (build?.state === 'failed') throw new Error(build.fault ?? 'its build failed')
    return build?.state === 'completed'
  })
}
