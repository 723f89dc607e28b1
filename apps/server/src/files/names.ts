import { constants } from '@mdm/contract'
import { fileNameKey, forbidden_in_names } from '@mdm/contract/file-names.ts'

/**
 * The name without outer spaces, or undefined when it cannot be a file's: "at most 255 characters; must not end with a
 * dot" (specification, 5).
 */
export function fileName(given: string): string | undefined {
  const name = given.normalize('NFC').trim()
  const is_valid = fileNameKey(name) !== '' && name.length <= constants.file_name_max && !name.endsWith('.')
  return is_valid && !forbidden_in_names.test(name) ? name : undefined
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
