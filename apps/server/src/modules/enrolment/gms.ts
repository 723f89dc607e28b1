import { constants } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { refuse } from '../../refusal.ts'
import { givenAddress, publicUrl } from './addresses.ts'
import { apkOf, apkPath, keepApk } from './apks.ts'
import type { Uploader } from './apks.ts'
import { draftPermanent, insertPermanent, openPermanent } from './permanent.ts'
import type { Caller, Draft } from './permanent.ts'
import { provisioningText } from './provisioning.ts'

type Input = In<Contract['terminalQrcode']['calls']['qrcode_gms_registered']>

/** An Android Enterprise code. It carries a permanent code, so that the agent registers by itself. */
export async function createGms(caller: Uploader, input: Input) {
  const { base, token, kid, draft } = await codeFor(caller, input)
  const { apk, ...source } = await apkFor(caller, input, base)
  const secret_text = provisioningText(input, { base, token, ...source })
  const bytes = Buffer.byteLength(secret_text)
  const max = constants.qrcode_text_bytes
  if (bytes > max) refuse('qrcode_too_large', { bytes, max })
  // Only now, so that a text that does not fit leaves no code behind.
  const qrcode_kid = draft ? await insertPermanent(caller, draft) : kid
  return { qrcode_kid, secret_text, bytes, apk, is_new: draft !== undefined }
}

type Code = { base: string; token: string } & ({ kid: string; draft?: undefined } | { kid?: undefined; draft: Draft })

async function codeFor(caller: Caller, input: Input): Promise<Code> {
  const { qrcode_kid: kid } = input
  const host = givenAddress(input.host)
  if (kid !== undefined) {
    const { base, token } = await openPermanent(caller, kid)
    return { kid, token, base: host ?? base }
  }
  const draft = await draftPermanent(caller, input)
  return { draft, token: draft.token, base: host ?? publicUrl(caller.deps) }
}

async function apkFor(caller: Uploader, input: Input, base: string) {
  const { download_url, signature_checksum } = input
  // The contract sees to it that a foreign address comes with its checksum.
  if (download_url !== undefined) return { apk: null, download_url, signature_checksum: signature_checksum! }
  const { deps, scope } = caller
  const apk =
    input.upload_kid === undefined ? await apkOf(scope, input.apk_kid!) : await keepApk(caller, input.upload_kid)
  return { apk, download_url: base + apkPath(deps, apk), signature_checksum: apk.signature_checksum }
}
