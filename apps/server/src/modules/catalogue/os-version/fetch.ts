import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Transform } from 'node:stream'
import { text } from '@mdm/contract'
import type { Language, Text } from '@mdm/contract'
import { AddressRefused, checkedAddress, reasons, systemResolve } from '../../../lib/address.ts'
import type { Address, Resolve } from '../../../lib/address.ts'
import { bytesText } from '../../../lib/bytes.ts'

const redirects_max = 5
const idle_ms = 60_000
/** Whoever brings less holds a place that others wait for, for as long as it likes: 5 GB would take nearly two months. */
const least_pace = { bytes: 64 * 1024, per_ms: 60_000 }

/** Why a file could not be fetched, in words that the publisher reads; `{detail}` is the same in every language. */
const fetchReasons = {
  ...reasons,
  redirects: text('it leads on too many times', 'địa chỉ chuyển hướng quá nhiều lần', '重定向次数过多'),
  no_address: text(
    'it leads to an address that is none',
    'địa chỉ chuyển hướng đến một địa chỉ không hợp lệ',
    '重定向到无效的网址',
  ),
  changed: text('the file changed meanwhile', 'tệp đã thay đổi trong khi tải', '文件在下载过程中发生了变化'),
  status: text('its server answered {detail}', 'máy chủ của địa chỉ trả lời {detail}', '该服务器返回 {detail}'),
  too_large: text('it is larger than {detail}', 'tệp lớn hơn {detail}', '文件超过 {detail}'),
  broken_off: text('the connection broke off', 'kết nối bị ngắt', '连接中断'),
  too_slow: text(
    'it brought less than {detail} within a minute',
    'tốc độ tải dưới {detail} mỗi phút',
    '下载速度低于每分钟 {detail}',
  ),
  unreachable: text(
    'its server cannot be reached ({detail})',
    'không kết nối được với máy chủ của địa chỉ ({detail})',
    '无法连接该服务器（{detail}）',
  ),
} satisfies Record<string, Text>
export type FetchReason = keyof typeof fetchReasons

export const fetchReasonText = (reason: FetchReason, detail: string, language: Language): string =>
  fetchReasons[reason][language].replace('{detail}', detail)

/** What `is_final` will not be better the next time. */
export class FetchFailed extends Error {
  constructor(
    readonly reason: FetchReason,
    readonly is_final: boolean,
    readonly detail = '',
  ) {
    super(fetchReasonText(reason, detail, 'en'))
  }
}

export type Fetching = {
  url: string
  path: string
  /** Of what is at `path` already. */
  etag: string | null
  max_bytes: number
  allowed: readonly string[]
  signal: AbortSignal
  /** When its head is here, and then after each piece. */
  on_progress(progress: { received: number; size: number | null; etag: string | null }): void
  resolve?: Resolve
  pace?: typeof least_pace
}

/**
 * Fetches a file to `path`, from where an earlier try ended when the other side can do that and the file is the same. Every
 * address on the way is one that the server may call; the connection goes to the very machine that was looked at.
 * @throws FetchFailed
 */
export async function fetchFile(of: Fetching): Promise<void> {
  await mkdir(dirname(of.path), { recursive: true, mode: 0o700 })
  const there = of.etag === null ? 0 : ((await stat(of.path).catch(() => undefined))?.size ?? 0)
  let url = of.url
  for (let hop = 0; hop <= redirects_max; hop += 1) {
    const answer = await ask(of, url, there)
    const { statusCode: status = 0, headers } = answer
    const next = headers.location
    if (status >= 300 && status < 400 && next !== undefined) {
      answer.destroy()
      if (!URL.canParse(next, url)) throw new FetchFailed('no_address', true)
      url = new URL(next, url).href
      continue
    }
    return take(of, answer, there)
  }
  throw new FetchFailed('redirects', true)
}

async function take(of: Fetching, answer: IncomingMessage, there: number): Promise<void> {
  const { statusCode: status = 0, headers } = answer
  const etag = typeof headers.etag === 'string' && !headers.etag.startsWith('W/') ? headers.etag : null
  const from = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '')
  const goes_on = status === 206 && from !== null && Number(from[1]) === there
  if (status === 416 || (status === 206 && !goes_on)) {
    answer.destroy()
    // Also one that is here as a whole ends so: what asked for the rest of it would ask for ever.
    await rm(of.path, { force: true })
    throw new FetchFailed('changed', false)
  }
  if (status !== 200 && !goes_on) {
    answer.destroy()
    throw new FetchFailed('status', status >= 400 && status < 500 && status !== 408 && status !== 429, `HTTP ${status}`)
  }
  const begun = goes_on ? there : 0
  const length = Number(headers['content-length'])
  const size = Number.isSafeInteger(length) ? begun + length : null
  if (size !== null && size > of.max_bytes) {
    answer.destroy()
    throw new FetchFailed('too_large', true, bytesText(of.max_bytes))
  }
  let received = begun
  of.on_progress({ received, size, etag })
  const counted = new Transform({
    transform(piece: Buffer, _encoding, done) {
      received += piece.length
      if (received > of.max_bytes) return done(new FetchFailed('too_large', true, bytesText(of.max_bytes)))
      of.on_progress({ received, size, etag })
      done(null, piece)
    },
  })
  const { bytes: least, per_ms } = of.pace ?? least_pace
  let seen = received
  const watch = setInterval(() => {
    if (received - seen < least) counted.destroy(new FetchFailed('too_slow', true, bytesText(least)))
    seen = received
  }, per_ms)
  try {
    await pipeline(answer, counted, createWriteStream(of.path, { flags: goes_on ? 'a' : 'w', mode: 0o600 }))
  } catch (error) {
    if (error instanceof FetchFailed || (error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
    throw new FetchFailed('broken_off', false)
  } finally {
    clearInterval(watch)
  }
  if (size !== null && received < size) throw new FetchFailed('broken_off', false)
}

async function ask(of: Fetching, address: string, there: number): Promise<IncomingMessage> {
  const { url, addresses } = await checkedAddress(of.allowed, address, of.resolve ?? systemResolve).catch(
    (error: unknown) => {
      if (error instanceof AddressRefused) throw new FetchFailed(error.reason, error.reason !== 'unresolved')
      throw error
    },
  )
  const range = there > 0 && of.etag !== null ? { range: `bytes=${there}-`, 'if-range': of.etag } : {}
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest
    const sent = request(
      url,
      {
        headers: { 'accept-encoding': 'identity', ...range },
        agent: false,
        lookup: pinned(addresses),
        signal: of.signal,
        timeout: idle_ms,
      },
      resolve,
    )
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    sent.on('error', (error: NodeJS.ErrnoException) =>
      reject(new FetchFailed('unreachable', false, error.code ?? error.message)),
    )
    sent.end()
  })
}

/** A name may mean another machine by now. */
const pinned =
  (addresses: Address[]): NonNullable<RequestOptions['lookup']> =>
  (_host, options, found) => {
    if (options.all) found(null, addresses)
    else found(null, addresses[0]!.address, addresses[0]!.family)
  }
