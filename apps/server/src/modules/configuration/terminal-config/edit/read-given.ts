import type { ConfigSection } from '@mdm/contract'
import { pushed_istage_characters } from '@mdm/contract/config/istage.ts'
import type { Actor } from '../../../../actor.ts'
import { Refusal } from '../../../../refusal.ts'
import { requesterOf } from '../../../../workers/service.ts'
import type { WithRequest } from '../../../../workers/service.ts'
import { completedConfig } from '../../istage/index.ts'
import { readCertificates } from './certificates.ts'

/** What is given of a section with what the server itself knows of it: what a certificate says, what a configuration holds. */
export async function readGiven(
  actor: Actor & WithRequest,
  section: ConfigSection,
  given: unknown,
  prior: unknown,
): Promise<unknown> {
  if (section === 'certificates') return readCertificates(actor.deps, given, prior, requesterOf(actor))
  if (section === 'istage') return readIstage(actor, (given as { config_kid: string }).config_kid)
  return given
}

/** The content goes along, so that devices hold what was saved, whatever becomes of the configuration. */
async function readIstage(actor: Actor, config_kid: string): Promise<unknown> {
  const found = await completedConfig(actor, config_kid)
  if (!found) throw new Refusal('bad_input', {}, { 'istage.config_kid': { name: 'istage_unknown' } })
  const { name, type, version, content } = found
  const private_content = JSON.stringify(content)
  const max = pushed_istage_characters
  if (private_content.length > max)
    throw new Refusal('bad_input', {}, { 'istage.config_kid': { name: 'too_long', details: { max } } })
  return { config_kid, name, type, version, private_content }
}
