import { contract } from '@mdm/contract'
import type { Deps } from '../../../deps.ts'
import { isEnd } from './code.ts'
import { held, noteTime, ownReceipt, takeFile } from './here.ts'

const again_ms = 24 * 3_600_000
const patience_ms = 15_000
const reply_bytes = 16_384

/** What a server that needs an activation does every minute: looks at the file, notes the time, tells the provider. */
export async function keepActivation(deps: Deps): Promise<void> {
  if (!deps.config.activation.is_needed) return
  await takeFile(deps)
  await noteTime(deps)
  await tellProvider(deps)
}

/** At once what has changed, and daily that it has not; a provider that cannot be reached is asked again a minute later. */
export async function tellProvider(deps: Deps): Promise<void> {
  const { report_url, key } = deps.config.activation
  if (report_url === undefined) return
  const found = await held(deps)
  const receipt = await ownReceipt(deps, found)
  const { row, payload } = found
  if (!row || !payload || receipt === undefined || row.ended_at) return
  const now = deps.clock.now()
  const is_told = row.reported === receipt && row.reported_at && now.getTime() - row.reported_at.getTime() < again_ms
  if (is_told) return
  const note = (said: Partial<typeof row>) =>
    deps.db.updateTable('activation_here').set(said).where('entered_at', '=', row.entered_at).execute()
  try {
    const { ended, is_renewed } = await post(`${report_url}/api/${contract.activation.calls.report.path}`, {
      kid: payload.kid,
      receipt,
    })
    const is_over = ended !== null && isEnd(key ?? '', ended, payload.kid)
    await note({
      reported: receipt,
      reported_at: now,
      report_error: null,
      is_renewed,
      ...(is_over && { ended_at: now, ended_kids: [...row.ended_kids, payload.kid] }),
    })
  } catch (error) {
    await note({ report_error: (error as Error).message.slice(0, 300) })
    if (row.report_error === null)
      deps.log.warn({ err: error, report_url }, 'the provider was not told of the activation')
  }
}

/** What the provider says of the end, and whether it has issued another code. */
async function post(url: string, body: object): Promise<{ ended: string | null; is_renewed: boolean }> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(patience_ms),
  })
  const text = await reply.text()
  if (text.length > reply_bytes) throw new Error('the answer is too long')
  const said = JSON.parse(text) as {
    result?: unknown
    message?: unknown
    data?: { ended?: unknown; is_renewed?: unknown }
  }
  if (said.result !== 1) throw new Error(String(said.message ?? reply.status))
  const { ended, is_renewed } = said.data ?? {}
  return { ended: typeof ended === 'string' ? ended : null, is_renewed: is_renewed === true }
}
