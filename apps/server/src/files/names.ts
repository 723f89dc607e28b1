import { constants } from '@mdm/contract'
import { fileNameFault, forbidden_in_names, tidyFileName } from '@mdm/contract/file-names.ts'
import { Refusal } from '../refusal.ts'

/** The name without outer spaces, or undefined when it cannot be a file's. */
export const fileName = (given: string): string | undefined =>
  fileNameFault(given) === undefined ? tidyFileName(given) : undefined

/** The name as it is kept. @throws `file_name_invalid`, and says of `field` when it is too many bytes for a device */
export function validFileName(given: string, field = 'name'): string {
  const fault = fileNameFault(given)
  if (fault === undefined) return tidyFileName(given)
  if (fault !== 'too_many_bytes') throw new Refusal('file_name_invalid')
  const details = { max: constants.file_name_bytes }
  throw new Refusal('file_name_invalid', {}, { [field]: { name: 'file_name_bytes', details } })
}

const types: Record<string, string> = {
  apk: 'application/vnd.android.package-archive',
  csv: 'text/csv',
  gif: 'image/gif',
  gz: 'application/gzip',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
}
/** By the ending of its name; downloads never let a browser guess (nosniff) nor run them (attachment). */
export const contentTypeOf = (name: string): string =>
  types[/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream'

/** Only pictures whose format cannot carry script are shown in place. */
const shownInPlace = new Set(['image/png', 'image/jpeg'])

/** `Content-Disposition` for any name (RFC 6266): a plain fallback, then the name itself in UTF-8. */
export function disposition(name: string, content_type: string): string {
  const kind = shownInPlace.has(content_type) ? 'inline' : 'attachment'
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`
}

/** What a person called an export, without what no file's name may have. */
export const exportName = (name: string, format: string): string =>
  `${fileName(name) ?? (fileName(name.replace(new RegExp(forbidden_in_names, 'gu'), '_').replace(/[.\s]+$/, '')) || 'export')}.${format}`
