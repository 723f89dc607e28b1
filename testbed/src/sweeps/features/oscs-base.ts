import { contract } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import { addBase, addCustom, addModel } from '@mdm/server/testing/os-customs.ts'
import { zipOf } from '@mdm/server/testing/zip.ts'
import { createUpload, uploadFile } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { addParts } from '../shared/information.ts'
import { lostUpload } from '../shared/uploads.ts'
import type { Stage } from '../stage.ts'

const model_calls = contract.opsOscsModel.calls
const base_calls = contract.opsOscsBase.calls

/** What custom OS are built on is the provider's alone: any kid does. */
export const oscsBase: Feature = {
  inputs: (t) => {
    const of = { kid: t.log_kid }
    return {
      'ops/oscs_model/paging': {},
      'ops/oscs_model/get': of,
      'ops/oscs_model/list_uid': {},
      'ops/oscs_model/insert': { code: 'SWEEP', uid_kid: t.log_kid, sum_upload_kid: t.log_kid },
      'ops/oscs_model/update': { ...of, name: 'Sweep' },
      'ops/oscs_model/delete': of,
      'ops/oscs_model/download_file': of,
      'ops/oscs_model/retry_file': of,
      'ops/oscs_base/paging': {},
      'ops/oscs_base/get': of,
      'ops/oscs_base/insert': {
        model_kid: t.log_kid,
        base_os_version: 'sweep_9.00.1',
        version_code: 1,
        os_upload_kid: t.log_kid,
        config_upload_kid: t.log_kid,
      },
      'ops/oscs_base/update': { ...of, remark: 'Sweep' },
      'ops/oscs_base/delete': of,
      'ops/oscs_base/download_file': of,
      'ops/oscs_base/retry_file': of,
    }
  },
  refusals,
  not_found: ['oscs_model_unknown'],
}

const zip = () => zipOf([['DOWNLOAD/a', 'a']])

/** A standard UID, and models and base versions of it. */
async function oscsStage(s: Stage) {
  const { operator } = s
  const { uid, parts } = await s.once('a UID of models', async () => {
    const kids: Record<UidKid, string> = await addParts(operator, 2)
    const made = { type: 'standard' as const, ...kids, reserve_code: 'CS', display_name: 'Models' }
    return { uid: await operator.opsUid.insert(made), parts: kids }
  })
  const number = () => Number(s.unique('1').replace(' ', ''))
  const upload = async (name: string) => uploadFile(operator, name, await zip())
  const modelDraft = async (more: object = {}) => ({
    code: `M${number()}`,
    uid_kid: uid.kid,
    ...('sum_upload_kid' in more ? {} : { sum_upload_kid: await upload('sum.zip') }),
    ...more,
  })
  /** As rows: their packages are sound, and nobody reads them. */
  const model = () => addModel(s.deps, uid.kid, `M${number()}`)
  const baseDraft = async (more: { model_kid?: string } & object = {}) => ({
    model_kid: more.model_kid ?? (await model()),
    base_os_version: `sweep_9.00.${number()}`,
    version_code: 1,
    ...('os_upload_kid' in more ? {} : { os_upload_kid: await upload(`${uid.code}.zip`) }),
    ...('config_upload_kid' in more ? {} : { config_upload_kid: await upload('config.zip') }),
    ...more,
  })
  const base = async (more: { model_kid?: string } = {}) =>
    addBase(s.deps, more.model_kid ?? (await model()), `sweep_9.00.${number()}`)
  return { uid, parts, upload, modelDraft, model, baseDraft, base }
}

async function refusals(s: Stage): Promise<Refusals> {
  const { operator, deps } = s
  const { uid, parts, upload, modelDraft, model, baseDraft, base } = await oscsStage(s)
  const bad = (field: string) => ({
    oscs_not_zip: async () => ({ [field]: await uploadFile(operator, 'other.rar', Buffer.from('x')) }),
    upload_not_finished: async () => ({ [field]: await createUpload(operator, `${uid.code}.zip`, 1000) }),
    file_transfer_failed: async () => ({ [field]: await lostUpload(s, `${uid.code}.zip`, operator) }),
  })
  const each = (makes: Record<string, () => Promise<object>>, whole: (more: object) => unknown) =>
    Object.fromEntries(Object.entries(makes).map(([name, make]) => [name, async () => whole(await make())]))
  const model_bad = {
    duplicate_model: async () => ({ code: (await operator.opsOscsModel.get({ kid: await model() })).code }),
    uid_base_wrong: async () => ({ uid_kid: unknownKid }),
    ...bad('sum_upload_kid'),
  }
  const base_bad = {
    base_os_exists: async () => ({
      base_os_version: (await operator.opsOscsBase.get({ kid: await base() })).base_os_version,
    }),
    oscs_model_unknown: async () => ({ model_kid: unknownKid }),
    os_file_name_wrong: async () => ({ os_upload_kid: await upload('other.zip') }),
    ...bad('os_upload_kid'),
  }
  let customs = 0
  /** A base version that a custom OS is built on. */
  const used = async (build?: 'waiting') => {
    const model_kid = await model()
    const kid = await base({ model_kid })
    const custom = await operator.opsUid.insert({
      type: 'custom',
      ...parts,
      reserve_code: String((customs += 1)).padStart(2, '0'),
      display_name: s.unique('Custom'),
      base_uid_kid: uid.kid,
      base_os_version: 'sweep_9.00.1',
    })
    await addCustom(deps, s.customer_kid, { base_kid: kid, uid_kid: custom.kid, name: s.unique('Used') }, build)
    return { kid, model_kid }
  }
  return {
    ...refusalsOf(model_calls.insert, operator, each(model_bad, modelDraft)),
    ...refusalsOf(model_calls.update, operator, {
      ...each(model_bad, async (more) => ({ ...more, kid: await model() })),
      oscs_model_in_use: async () => {
        const model_kid = await model()
        await base({ model_kid })
        return { kid: model_kid, uid_kid: unknownKid }
      },
      os_build_of_base: async () => ({
        kid: (await used('waiting')).model_kid,
        sum_upload_kid: await upload('sum.zip'),
      }),
    }),
    ...refusalsOf(model_calls.delete, operator, {
      oscs_model_in_use: async () => {
        const model_kid = await model()
        await base({ model_kid })
        return { kid: model_kid }
      },
    }),
    ...refusalsOf(model_calls.retry_file, operator, {
      os_package_not_failed: async () => ({ kid: (await operator.opsOscsModel.get({ kid: await model() })).sum.kid }),
    }),
    ...refusalsOf(base_calls.insert, operator, each(base_bad, baseDraft)),
    ...refusalsOf(base_calls.update, operator, {
      ...each(base_bad, async (more) => ({ ...more, kid: await base() })),
      oscs_base_in_use: async () => ({ kid: (await used()).kid, version_code: 77 }),
    }),
    ...refusalsOf(base_calls.delete, operator, { oscs_base_in_use: async () => ({ kid: (await used()).kid }) }),
    ...refusalsOf(base_calls.retry_file, operator, {
      os_package_not_failed: async () => ({ kid: (await operator.opsOscsBase.get({ kid: await base() })).os.kid }),
    }),
  }
}
