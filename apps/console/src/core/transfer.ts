import { constants } from '@mdm/contract'
import type { InterruptedUpload } from '@mdm/contract'
import { DefaultHttpStack, DetailedError, Upload, defaultOptions } from 'tus-js-client'
import type { HttpStack, PreviousUpload } from 'tus-js-client'
import { serverAddress } from './base-url.ts'
import { CallFailed, localResults } from './call-failed.ts'
import { translate } from '../i18n/translate.ts'
import { sessionState } from './session-store.ts'

const chunk_bytes = 8 * 1024 * 1024
/** The server forgets what nobody finished after two days. */
const kept_ms = 2 * 86_400_000
/** Short at first, then patient: a network that is away for a quarter of an hour ends no upload. */
const retry_delays = [0, 1_000, 2_000, 5_000, ...Array.from({ length: 60 }, () => 15_000)]

type Area = 'file_disk' | 'app_center'
export type Owner = { account_kid: string; user_kid: string }
export type Transfer = {
  /** Resolves to the kid of the finished upload. Throws CallFailed. */
  finished: Promise<string>
  /** Ends it. `forget` also removes what the server has; resolves once this browser knows of it no more. */
  stop: (forget: boolean) => Promise<void>
}
type Options = {
  file: File
  /** Under which it will be kept, for whoever finds the upload interrupted. */
  name: string
  owner: Owner
  /** Which of the account's spaces it takes of; that of files by itself. */
  area?: Area
  /** Whether this browser remembers it, so that the same file goes on where it stopped; not when it belongs to one moment. */
  is_remembered?: boolean
  /** This person's uploads that were cut off: that of this file, begun in another browser, is gone on with. */
  listInterrupted?: () => Promise<readonly Pick<InterruptedUpload, 'upload_kid' | 'fingerprint'>[]>
  onProgress: (bytes: number) => void
  /** The connection is away; it is tried again by itself. */
  onWaiting: () => void
}

/** What the server knows an upload of a file by, whichever browser it came from. */
export const contentOf = (file: Pick<File, 'size' | 'lastModified' | 'name'>): string =>
  `${file.size}-${file.lastModified}-${file.name}`.slice(0, 400)
const prefixOf = ({ account_kid, user_kid }: Owner, area: Area = 'file_disk') =>
  `mdm-${area === 'file_disk' ? '' : `${area}-`}${account_kid}-${user_kid}-`
const fingerprintOf = (file: File, owner: Owner, area?: Area) =>
  `${prefixOf(owner, area)}${file.size}-${file.lastModified}-${encodeURIComponent(file.name)}`

/** Sends a file in pieces (tus 1.0). Goes on where an earlier try of the same file stopped, even after a reload. */
export function transfer({
  file,
  name,
  owner,
  area,
  is_remembered = true,
  listInterrupted,
  onProgress,
  onWaiting,
}: Options): Transfer {
  let finish!: (kid: string) => void
  let fail!: (error: CallFailed) => void
  const finished = new Promise<string>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  let is_waiting = false
  let is_stopped = false
  let moved_at = Date.now()
  const upload = new Upload(file, {
    endpoint: `${serverAddress()}/upload`,
    httpStack: stackFor(owner),
    chunkSize: chunk_bytes,
    metadata: {
      filename: file.name,
      name,
      ...(area && { area }),
      ...(is_remembered && { fingerprint: contentOf(file) }),
    },
    fingerprint: () => Promise.resolve(fingerprintOf(file, owner, area)),
    storeFingerprintForResuming: is_remembered,
    removeFingerprintOnSuccess: true,
    retryDelays: retry_delays,
    // The token may be a newer one by the time of the last piece.
    onBeforeRequest: (request) => request.setHeader('authorization', `Bearer ${sessionState().token ?? ''}`),
    onProgress: (bytes) => {
      is_waiting = false
      moved_at = Date.now()
      onProgress(bytes)
    },
    onShouldRetry: (error) => {
      if (is_stopped || !mayPass(error.originalResponse?.getStatus() ?? 0)) return false
      is_waiting = true
      onWaiting()
      return true
    },
    onError: (error) => settle(() => fail(failureOf(error))),
    onSuccess: () => {
      const kid = kidIn(upload.url)
      settle(() => (kid ? finish(kid) : fail(failureOf(new Error('no address')))))
    },
  })
  const restart = () => {
    moved_at = Date.now()
    void upload.abort().then(() => is_stopped || upload.start())
  }
  const restartNow = () => is_waiting && restart()
  // A connection can die without a word: nothing moves and nothing fails.
  const watch = setInterval(() => {
    if (is_waiting || Date.now() - moved_at < constants.request_timeout_ms) return
    is_waiting = true
    onWaiting()
    restart()
  }, 5_000)
  const settle = (end: () => void) => {
    clearInterval(watch)
    removeEventListener('online', restartNow)
    end()
  }
  addEventListener('online', restartNow)
  const start = async () => {
    const [last] = (await upload.findPreviousUploads()).filter(isFresh).sort(byAge)
    if (last) upload.resumeFromPreviousUpload(last)
    else {
      // Whether it is found or not, the file is sent: from there on, or from its first byte.
      const all = (await listInterrupted?.().catch(() => undefined)) ?? []
      const same = all.find(({ fingerprint }) => fingerprint === contentOf(file))
      if (same) upload.resumeFromPreviousUpload(begunElsewhere(same.upload_kid, file))
    }
    if (!is_stopped) upload.start()
  }
  start().catch((error: Error) => settle(() => fail(failureOf(error))))
  return {
    finished,
    stop: async (forget) => {
      is_stopped = true
      // What cannot be removed now is removed by the server in time.
      void upload.abort(forget).catch(() => undefined)
      settle(() => undefined)
      if (!forget) return
      for (const { urlStorageKey } of await upload.findPreviousUploads()) await drop(urlStorageKey)
    },
  }
}

const addressOf = (kid: string): string => `${serverAddress()}/upload/${kid}`
const begunElsewhere = (kid: string, file: File): PreviousUpload => ({
  uploadUrl: addressOf(kid),
  parallelUploadUrls: null,
  size: file.size,
  metadata: {},
  creationTime: new Date().toISOString(),
  urlStorageKey: '',
})

/** The specification's `account_kid` on every request, those to the address that the server gave included. */
function stackFor({ account_kid }: Owner): HttpStack {
  const plain = new DefaultHttpStack({})
  return {
    getName: () => plain.getName(),
    createRequest: (method, address) => {
      const url = new URL(address, serverAddress())
      url.searchParams.set('account_kid', account_kid)
      url.searchParams.set('lang', sessionState().language)
      return plain.createRequest(method, url.href)
    },
  }
}

const mayPass = (status: number) => status === 0 || status >= 500 || [409, 423, 429].includes(status)

function failureOf(error: Error): CallFailed {
  const response = error instanceof DetailedError ? error.originalResponse : null
  if (!response) return new CallFailed(localResults.offline, translate('common:failed.offline'), {}, { cause: error })
  try {
    const { result, message } = JSON.parse(response.getBody()) as { result: unknown; message: unknown }
    if (typeof result === 'number' && typeof message === 'string') return new CallFailed(result, message)
  } catch {
    // The tus part of the server answers in plain text.
  }
  const status = response.getStatus()
  return new CallFailed(
    localResults.not_readable,
    translate('common:failed.not_readable', { status }),
    {},
    { cause: error },
  )
}

/** Names that were chosen here for uploads that were cut off, by the kid of the upload. */
export async function chosenNames(owner: Owner): Promise<ReadonlyMap<string, string>> {
  const all = await defaultOptions.urlStorage.findAllUploads()
  const found = all.filter(({ urlStorageKey }) => urlStorageKey.includes(prefixOf(owner)))
  for (const old of found.filter((upload) => !isFresh(upload))) await drop(old.urlStorageKey)
  return new Map(
    found.flatMap(({ uploadUrl, metadata }) => {
      const kid = kidIn(uploadUrl)
      return kid && metadata['name'] ? [[kid, metadata['name']] as const] : []
    }),
  )
}

/** Gives up an upload that was cut off: what the server has of it goes, and this browser forgets it. */
export async function giveUp(kid: string, owner: Owner): Promise<void> {
  await Upload.terminate(addressOf(kid), {
    httpStack: stackFor(owner),
    retryDelays: null,
    onBeforeRequest: (request) => request.setHeader('authorization', `Bearer ${sessionState().token ?? ''}`),
  }).catch(() => undefined)
  const all = await defaultOptions.urlStorage.findAllUploads()
  for (const { uploadUrl, urlStorageKey } of all) if (kidIn(uploadUrl) === kid) await drop(urlStorageKey)
}
const kidIn = (address: string | null): string | undefined => address?.split('?')[0]?.split('/').at(-1)
const drop = (key: string): Promise<void> => defaultOptions.urlStorage.removeUpload(key)

const isFresh = ({ creationTime }: PreviousUpload) => Date.now() - Date.parse(creationTime) < kept_ms
const byAge = (a: PreviousUpload, b: PreviousUpload) => Date.parse(b.creationTime) - Date.parse(a.creationTime)
