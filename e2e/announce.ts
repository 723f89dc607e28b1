import { createHash, randomBytes } from 'node:crypto'
import { demo } from './demo-server.ts'

/** As a device does that is switched on for the first time; the code that it shows. */
export async function announce(sn: string): Promise<string> {
  const claim_hash = createHash('sha256').update(randomBytes(32)).digest('hex')
  const said = { model: 'M1', os_name: 'Linux', os_version: '6', service_version: '1', protocol_version: 1 }
  const reply = await fetch(`${demo().url}/device/announce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sn, ...said, claim_hash }),
  })
  return ((await reply.json()) as { registration_code: string }).registration_code
}
