import { readFile } from 'node:fs/promises'
import { contract } from '@mdm/contract'
import { realApk, zip } from '@mdm/server/testing/apk.ts'
import type { Caller } from '../caller.ts'
import { until } from '../until.ts'
import { createUpload, uploadFile } from '../upload.ts'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const qrcode = contract.terminalQrcode.calls
const agent = { component_name: 'com.example.agent/.Admin' }
const elsewhere = { ...agent, download_url: 'https://cdn.example/agent.apk', signature_checksum: 'A'.repeat(43) }
const uploaded = (who: Caller, content: Buffer) => uploadFile(who, 'agent.apk', content)

/** Permanent codes, and those of Android Enterprise. */
export function qrcodeProvocations(s: Stage): Provocations {
  const { root } = s
  const revoked = async () => {
    const { kid } = await root.terminalQrcode.qrcode_forever_registered({})
    await root.terminalQrcode.revoke({ kid })
    return kid
  }
  return {
    ...ways(qrcode.qrcode_forever_registered, root, { group_unknown: () => ({ terminal_group_kid: nowhere }) }),
    ...ways(qrcode.get, root, { qrcode_invalid: async () => ({ kid: await revoked() }) }),
    ...ways(qrcode.revoke, root, { qrcode_invalid: async () => ({ kid: await revoked() }) }),
    ...ways(qrcode.qrcode_gms_registered, root, {
      group_unknown: () => ({ ...elsewhere, terminal_group_kid: nowhere }),
      qrcode_invalid: async () => ({ ...elsewhere, qrcode_kid: await revoked() }),
      qrcode_too_large: () => ({
        ...elsewhere,
        admin_extras: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, 'x'.repeat(1_000)])),
      }),
      upload_not_finished: async () => ({ ...agent, upload_kid: await createUpload(root, 'agent.apk', 1_000) }),
      file_transfer_failed: async () => ({ ...agent, upload_kid: await lostUpload(s) }),
      storage_exceeded: async () => {
        const who = s.w.customers[1]!
        const { account_kid } = s.w.seed.customers[1]!
        await s.deps.db
          .updateTable('disk_space')
          .set({ max_bytes: 10 })
          .where('account_kid', '=', account_kid)
          .where('area', '=', 'app_center')
          .execute()
        return by(who, { ...agent, upload_kid: await uploaded(who, await readFile(realApk)) })
      },
      apk_invalid: async () => ({ ...agent, upload_kid: await uploaded(root, Buffer.from('no archive at all')) }),
      apk_unsigned: async () => ({ ...agent, upload_kid: await uploaded(root, zip({})) }),
      apk_beyond_limits: async () => ({ ...agent, upload_kid: await uploaded(root, crowded()) }),
    }),
  }
}

/** An upload whose bytes are gone from the object store. */
async function lostUpload({ root, deps }: Stage): Promise<string> {
  const upload_kid = await uploaded(root, Buffer.from('lost'))
  const { object } = await until('the upload to be hashed', () =>
    deps.db
      .selectFrom('upload')
      .select('object')
      .where('kid', '=', upload_kid)
      .where('finished_at', 'is not', null)
      .executeTakeFirst(),
  )
  await deps.objects.delete(object!)
  return upload_kid
}

function crowded(): Buffer {
  const content = Buffer.alloc(0)
  return zip({ entries: Array.from({ length: 31_000 }, (_, n) => ({ name: String(n), content })) })
}
