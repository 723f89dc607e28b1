import { contract } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { zip } from '../../apks.ts'
import { createUpload, uploadFile } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { crowdedZip, lostUpload } from '../shared/uploads.ts'
import type { Stage } from '../stage.ts'
import { withoutKey } from './os-version.ts'

const calls = contract.opsOsMdmApi.calls
const cert_sha1 = 'ab'.repeat(20)
const methods = ['com.acme.Printer.print']

/** Which apps may call what of devices; the provider's alone: any kid does. */
export const apiAuthorisation: Feature = {
  inputs: (t) => {
    const draft = { package: `com.acme.s${Math.random()}`.replace('.0', ''), cert_sha1, uid_kids: [t.log_kid], methods }
    return {
      'ops/os_mdm_api/paging': {},
      'ops/os_mdm_api/get': { kid: t.log_kid },
      'ops/os_mdm_api/list_uid': {},
      'ops/os_mdm_api/inspect_package': { upload_kid: t.log_kid },
      'ops/os_mdm_api/insert': draft,
      'ops/os_mdm_api/update': { kid: t.log_kid, ...draft },
      'ops/os_mdm_api/delete': { kid: t.log_kid },
      'ops/os_mdm_api/paging_refused': {},
    }
  },
  refusals,
  not_found: ['os_uid_unknown'],
}

function refusals(s: Stage): Refusals {
  const { operator, deps } = s
  const name = () => `com.acme.a${newKid().slice(-12)}`
  const uid = () => addUid(deps, newKid())
  const draft = async (more: object = {}) => ({ package: name(), cert_sha1, uid_kids: [await uid()], methods, ...more })
  const there = async () => operator.opsOsMdmApi.insert(await draft())
  const taken = async () => ({ package: (await there()).package })
  /** A UID whose list is nearly as large as one may be. */
  const full = async () => {
    const uid_kid = await uid()
    const now = deps.clock.now()
    const by = { created_by: 'x', created_at: now, updated_by: 'x', updated_at: now }
    const kid = newKid()
    const many = Array.from({ length: 40_000 }, (_, n) => `com.acme.${'a'.repeat(100)}.m${n}`)
    await deps.db
      .insertInto('api_authorisation')
      .values({ kid, package: name(), cert_sha1, methods: many, remark: '', ...by })
      .execute()
    await deps.db.insertInto('api_authorisation_uid').values({ api_authorisation_kid: kid, uid_kid }).execute()
    return { uid_kids: [uid_kid] }
  }
  /** While the key that signs is somebody else's. */
  const offline = (
    call: typeof calls.insert | typeof calls.update | typeof calls.delete,
    make: () => Promise<object>,
  ) => ({
    [`${call.path} os_key_offline`]: async () => {
      const input = await make()
      await there()
      return withoutKey(s, () => operator.try_(call, input as never))
    },
  })
  const kid = async () => (await there()).kid
  return {
    ...refusalsOf(calls.insert, operator, {
      api_app_taken: async () => draft(await taken()),
      api_list_too_large: async () => draft(await full()),
      os_uid_unknown: () => draft({ uid_kids: [unknownKid] }),
    }),
    ...refusalsOf(calls.update, operator, {
      api_app_taken: async () => draft({ ...(await taken()), kid: await kid() }),
      api_list_too_large: async () => draft({ ...(await full()), kid: await kid() }),
      os_uid_unknown: async () => draft({ uid_kids: [unknownKid], kid: await kid() }),
    }),
    ...offline(calls.insert, () => draft()),
    ...offline(calls.update, async () => draft({ kid: await kid() })),
    ...offline(calls.delete, async () => ({ kid: await kid() })),
    ...refusalsOf(calls.inspect_package, operator, {
      apk_invalid: async () => ({ upload_kid: await uploadFile(operator, 'a.apk', Buffer.from('no package')) }),
      apk_unsigned: async () => {
        const bytes = zip({ entries: [{ name: 'AndroidManifest.xml', content: Buffer.alloc(9) }] })
        return { upload_kid: await uploadFile(operator, 'a.apk', bytes) }
      },
      apk_beyond_limits: async () => ({ upload_kid: await uploadFile(operator, 'a.apk', crowdedZip()) }),
      upload_not_finished: async () => ({ upload_kid: await createUpload(operator, 'half.apk', 1000) }),
      file_transfer_failed: async () => ({ upload_kid: await lostUpload(s, s.unique('lost'), operator) }),
    }),
  }
}
