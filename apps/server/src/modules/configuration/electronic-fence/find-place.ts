import type { Language } from '@mdm/contract'
import * as z from 'zod'
import type { Actor } from '../../../actor.ts'
import { takeTry } from '../../../lib/rate-limit.ts'
import { refuse } from '../../../refusal.ts'

const timeout_ms = 8_000
const most_bytes = 256 * 1024
const found_max = 8
/** Public geocoders are asked once a second at most, by all of the people of this server. */
const rate = { limit: 5, per_ms: 5_000 }
const rate_of_account = { limit: 300, per_ms: 3_600_000 }

/** As Nominatim answers, and whatever speaks like it. */
const Answer = z.array(
  z.object({
    display_name: z.string().max(500),
    lon: z.coerce.number<string | number>().min(-180).max(180),
    lat: z.coerce.number<string | number>().min(-90).max(90),
  }),
)
export type FoundPlace = { name: string; longitude: number; latitude: number }

/** Places of this name, best first; none where no geocoder is set. What was asked lately is not asked again. */
export async function findPlace(
  { deps, account_kid }: Actor,
  text: string,
  language: Language,
): Promise<{ is_on: boolean; places: FoundPlace[] }> {
  const template = deps.config.geocoder
  if (template === null) return { is_on: false, places: [] }
  if (text === '') return { is_on: true, places: [] }
  const url = template.replace('{q}', encodeURIComponent(text)).replace('{language}', language)
  const cache = deps.memory.places
  const known = cache.get(url)
  if (known) return { is_on: true, places: known }
  // The account's own first: who has used it up takes nothing of what all others share.
  for (const [name, of, key] of [
    ['geocoder account', rate_of_account, account_kid],
    ['geocoder', rate, 'all'],
  ] as const) {
    takeTry(deps, name, of, key)
  }
  const places = await ask(url).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'the geocoder did not answer')
    return refuse('geocoder_failed')
  })
  if (cache.size >= 500) cache.clear()
  cache.set(url, places)
  return { is_on: true, places }
}

async function ask(url: string): Promise<FoundPlace[]> {
  const reply = await fetch(url, {
    headers: { accept: 'application/json', 'user-agent': 'MDM' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeout_ms),
  })
  if (!reply.ok || !reply.body) throw new Error(`answered ${reply.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > most_bytes) throw new Error('answered too much')
    chunks.push(chunk)
  }
  const found = Answer.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  return found
    .slice(0, found_max)
    .map(({ display_name, lon, lat }) => ({ name: display_name, longitude: lon, latitude: lat }))
}
