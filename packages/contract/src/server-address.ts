import * as z from 'zod'
import { shaped } from './wire.ts'

const port = String.raw`(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])`

/** "Must start with http:// or https:// and include a port" (specification, 5): in every form that takes one. */
export const ServerAddress = z
  .string()
  .trim()
  .max(255)
  .regex(
    ...shaped(
      'server_address',
      new RegExp(String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@\\:]+(?::[^\s/?#@\\:]+)*:${port}(?:/[^\s?#@\\]*)?$`),
    ),
  )
