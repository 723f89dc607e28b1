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
  'totp_code',
  'totp_token',
  'exchange_token',
  'link_token',
  'otpauth_url',
]

/** Structured log without secrets: named fields are masked at any of the first three levels. */
export const createLog = (level: string): Log =>
  pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretFields.flatMap((f) => [f, `*.${f}`, `*.*.${f}`]), censor: '***' },
  })

/** Deep copy with every field of a secret's name masked: for operation logs. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > 8 || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.slice(0, 200).map((v) => withoutSecrets(v, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => [key, isSecretName(key) ? '***' : withoutSecrets(v, depth + 1)]),
  )
}
const isSecretName = (key: string): boolean =>
  /pass(word)?|token|secret|claim|authorization|cookie|content_key|private|totp|recovery|otpauth/i.test(key)

/** A URL as it may be written down: the values of its secret query parameters are masked. */
export const safeUrl = (url: string): string =>
  url.replace(/([?&](?:AccessToken|access_token|token|signature|sig)=)[^&#]*/gi, '$1***')
