import { constants } from '@mdm/contract'
import type { AndroidAgent, Contract, In } from '@mdm/contract'
import type { Config } from '../../../../config.ts'
import type { Actor } from '../../../../actor.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { givenAddress, publicUrl } from '../../../../addresses.ts'
import { apkOf, apkPath, keepApk } from './apks.ts'
import { draftPermanent, insertPermanent, openPermanent } from './permanent.ts'
import type { Draft } from './permanent.ts'
import { provisioningText } from './provisioning.ts'

type Input = In<Contract['terminalQrcode']['calls']['qrcode_gms_registered']>

/**
 * An Android Enterprise code. It carries a permanent code, so that the agent registers by itself. `signal` is aborted when
 * whoever asked has gone.
 */
export async function createGms(actor: Actor, input: Input, signal?: AbortSignal) {
  const { base, token, kid, draft } = await codeFor(actor, input)
  assertLetIn(actor.deps.config, input.agent_kind, base)
  const { apk, ...source } = await apkFor(actor, input, base, signal)
  const secret_text = provisioningText(input, { base, token, ...source })
  const bytes = Buffer.byteLength(secret_text)
  const max = constants.qrcode_text_bytes
  if (bytes > max) refuse('qrcode_too_large', { bytes, max })
  // Only now, so that a text that does not fit leaves no code behind.
  const qrcode_kid = draft ? await insertPermanent(actor, draft) : kid
  return { qrcode_kid, secret_text, bytes, apk, is_new: draft !== undefined }
}

function assertLetIn({ gateways }: Config, kind: AndroidAgent, base: string): void {
  if (kind === 'mdm') return
  if (!gateways[kind]) throw new Refusal('bad_input', {}, { agent_kind: { name: 'agent_not_let_in' } })
  if (kind !== 'mdmesh') return
  // It drops the path of its address in its calls and not in its socket, and Android lets it speak over TLS alone.
  const { protocol, pathname } = new URL(base)
  if (protocol !== 'https:' || pathname !== '/') throw new Refusal('bad_input', {}, { host: { name: 'agent_origin' } })
}

type Code = { base: string; token: string } & ({ kid: string; draft?: undefined } | { kid?: undefined; draft: Draft })

async function codeFor(actor: Actor, input: Input): Promise<Code> {
  const { qrcode_kid: kid } = input
  const host = givenAddress(input.host)
  if (kid !== undefined) {
    const { base, token, needs_approval } = await openPermanent(actor, kid)
    // Agents of others give up where they would have to wait for an operator.
    if (needs_approval && input.agent_kind !== 'mdm') refuse('qrcode_invalid')
    return { kid, token, base: host ?? base }
  }
  const draft = await draftPermanent(actor, input)
  return { draft, token: draft.token, base: host ?? publicUrl(actor.deps) }
}

async function apkFor(actor: Actor, input: Input, base: string, signal: AbortSignal | undefined) {
  const { download_url, signature_checksum } = input
  // The contract sees to it that a foreign address comes with its checksum.
  if (download_url !== undefined) return { apk: null, download_url, signature_checksum: signature_checksum! }
  const { deps, scope } = actor
  const apk =
    input.upload_kid === undefined ? await apkOf(scope, input.apk_kid!) : await keepApk(actor, input.upload_kid, signal)
  return { apk, download_url: base + apkPath(deps, apk), signature_checksum: apk.signature_checksum }
}
