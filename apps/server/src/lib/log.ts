import { AsyncLocalStorage } from 'node:async_hooks'
import { pino } from 'pino'

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'child'>

const secretFields = [
  'password',
  'token',
  'AccessToken',
  'access_token',
  'authorization',
  'secret',
  'claim',
  'cookie',
  'puzzle_token',
  'registration_code',
  'verification_code',
  'admin_extras',
  'totp_code',
  'totp_token',
  'exchange_token',
  'link_token',
  'otpauth_url',
]

/** What all lines say that are written while it is done: the request, or the work in the background. */
export const logScope = new AsyncLocalStorage<{ request_kid: string } | { work: string }>()

/** Structured log without secrets: named fields are masked at any of the first three levels. */
export const createLog = (level: string, destination?: pino.DestinationStream): Log =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretFields.flatMap((f) => [f, `*.${f}`, `*.*.${f}`]), censor: '***' },
      mixin: () => ({ ...logScope.getStore() }),
    },
    destination,
  )

/**
 * Deep copy as it may be kept in operation logs: fields of a secret's name are masked, and so is what is secret within a
 * text that is an address. What is nested deeper than any input is left out.
 */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return safeText(value)
  if (value === null || typeof value !== 'object') return value
  if (depth > 8) return '***'
  if (Array.isArray(value)) return value.slice(0, 200).map((v) => withoutSecrets(v, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => [key, isSecretName(key) ? '***' : withoutSecrets(v, depth + 1)]),
  )
}
export const isSecretName = (key: string): boolean =>
  /pass(word)?|token|secret|claim|authorization|cookie|content_key|private|totp|recovery|otpauth|(registration|verification)_?code|admin_extras|(^|_)pin$/i.test(
    key,
  )

/** The address of a download is enough to fetch it: it is worth as much as a token. */
const safeText = (text: string): string =>
  safeUrl(text)
    .replace(/\/files\/[^\s"]*/g, '/files/***')
    .replace(/(:\/\/[^\s/:@]*):[^\s/@]*@/g, '$1:***@')

/** A URL as it may be written down: the values of its secret query parameters are masked, however their names are written. */
export const safeUrl = (url: string): string =>
  url.replace(/([?&;])([^?=&;#\s]+)=[^&;#\s]*/g, (pair, mark: string, name: string) =>
    isSecretParameter(plain(name)) ? `${mark}${name}=***` : pair,
  )
const isSecretParameter = (name: string): boolean => isSecretName(name) || /^(sig(nature)?|qr)$/i.test(name)

/** A name without percent-encoding, which may be around another. One that cannot be read counts as a secret's. */
function plain(name: string): string {
  try {
    for (let text = name; ;) {
      const decoded = decodeURIComponent(text)
      if (decoded === text) return text
      text = decoded
    }
  } catch {
    return 'secret'
  }
}
