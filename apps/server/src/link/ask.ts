import { requests } from '@mdm/device-link'
import type { DataOf, ParamsOf, RequestMethod } from '@mdm/device-link'
import type { ErrorName } from '@mdm/contract'
import type { Deps } from '../deps.ts'
import { Refusal } from '../refusal.ts'
import { RequestError } from './requests.ts'

const answer_ms = 20_000
const reason_max = 200

/** Words for a failure, and what they are called in the catalogue. */
type Words = Partial<Record<string, ErrorName>>
export type AskOptions = {
  /** Given up after so long without a word; a long request says how far it is. */
  silence_ms?: number
  on_progress?: (percent: number) => void
}

/**
 * Asks a connected device and believes of its answer only what the schema allows. Throws Refusal, of `askErrors` or of
 * `codes`: what the device's own words for a failure are called in the catalogue.
 */
export async function askDevice<M extends RequestMethod>(
  deps: Deps,
  terminal_kid: string,
  method: M,
  params: ParamsOf<M>,
  codes: Words = {},
  options: AskOptions = {},
): Promise<DataOf<M>> {
  try {
    return await requestDevice(deps, terminal_kid, method, params, options)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    throw refusalOf(error, codes)
  }
}

/** The same with the failure as the device said it. Throws RequestError; `bad_answer` when the answer is not one. */
export async function requestDevice<M extends RequestMethod>(
  deps: Deps,
  terminal_kid: string,
  method: M,
  params: ParamsOf<M>,
  { silence_ms = answer_ms, on_progress }: AskOptions = {},
): Promise<DataOf<M>> {
  const data = await deps.link.request(terminal_kid, method, params, silence_ms, on_progress)
  const parsed = requests[method].data.safeParse(data)
  if (parsed.success) return parsed.data as DataOf<M>
  deps.log.warn({ terminal_kid, method, reason: parsed.error.message.slice(0, 500) }, 'a device answered nonsense')
  throw new RequestError('bad_answer')
}

const named: Words = {
  offline: 'device_not_online',
  closing: 'device_no_answer',
  timeout: 'device_no_answer',
  bad_answer: 'device_answer_invalid',
  not_supported: 'device_not_supported',
}

function refusalOf({ code, message, is_of_device }: RequestError, codes: Words): Refusal {
  // What the link says of itself cannot be said by a device, whatever word it uses.
  const words: Words = is_of_device ? { not_supported: named['not_supported'], ...codes } : named
  const name = Object.hasOwn(words, code) ? words[code] : undefined
  return name ? new Refusal(name) : new Refusal('device_refused', { reason: plain(message || code) })
}

/** A sentence of a device as it may stand in a message of ours: one line, short, nothing that turns text around. */
export const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, reason_max)
