import { informationKeys, informationLists, kidOf, splitUid } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import { models } from '@mdm/agent/body/simulated-models.ts'
import { zipOf } from '@mdm/server/testing/zip.ts'
import type { Caller } from './caller.ts'
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
    const [row = await operator[groupOf(key)].insert(draft)] = (await operator[groupOf(key)].paging({ text: own }))
      .items
    kids[kidOf(name)] = row.kid
  }
  const reserve_code = parts.at(-1)!.code
  return (await operator.opsUid.insert({ type: 'standard', ...kids, reserve_code, display_name })).kid
}

/** A model with its platform package and a base version, whose packages were found sound. */
export async function addBaseVersion(
  operator: Caller,
  { uid_kid, uid, model, version }: { uid_kid: string; uid: string; model: string; version: string },
): Promise<string> {
  const upload = async (name: string, entries: [string, string][]) => uploadFile(operator, name, await zipOf(entries))
  const { kid: model_kid } = await operator.opsOscsModel.insert({
    code: model.toUpperCase(),
    name: `Handheld ${model}`,
    uid_kid,
    sum_upload_kid: await upload(`${model}_sum.zip`, [['DOWNLOAD/vendor/firmware.bin', `firmware of ${model}`]]),
  })
  const { kid } = await operator.opsOscsBase.insert({
    model_kid,
    base_os_version: `${model}_${version}`,
    version_code: 90,
    os_upload_kid: await upload(`${model}_${uid}_full.zip`, [['DOWNLOAD/system.img', `system ${version}`]]),
    config_upload_kid: await upload(`${model}_config.zip`, [['DOWNLOAD/etc/base.properties', 'ro.demo=1\n']]),
  })
  await until('the packages of the base version', async () => {
    const { os, config } = await operator.opsOscsBase.get({ kid })
    const { sum } = await operator.opsOscsModel.get({ kid: model_kid })
    return [os, config, sum].every(({ state }) => state === 'ready')
  })
  return kid
}

/** One model, one base version of it and one custom OS that is built, by the calls that people make. */
export async function customOsForDemo(operator: Caller, customer: Caller): Promise<void> {
  const { uid, model } = models[0]
  const uid_kid = await addUidOf(operator, uid, `Handheld ${model}`)
  const base_kid = await addBaseVersion(operator, { uid_kid, uid, model, version: '9.02.001' })
  const upload_kid = await uploadFile(customer, 'welcome.txt', Buffer.from('Welcome to Sunrise Parcel\n'))
  const { kid: file_kid } = await customer.fileCloud.insert({ upload_kid, name: 'welcome.txt' })
  const { kid } = await customer.osCustom.insert({
    name: 'Driver handheld',
    base_kid,
    files: [{ file_kid, path: '/storage/emulated/0/Documents' }],
    remark: 'For new handhelds of drivers',
  })
  await customer.osCustom.recustomise({ kid })
}
