import type { CloudFile } from '@mdm/contract'

type PreviewKind = 'picture' | 'text' | 'pdf'
/** What a browser draws without running anything. */
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const texts = new Set(['application/json', 'application/xml'])
/** Shown as the text that they are, never as what they would do: HTML, SVG and scripts among them. */
const text_endings =
  /\.(txt|log|md|csv|tsv|ini|conf|cfg|properties|env|ya?ml|toml|json|xml|html?|svg|css|js|mjs|ts|sh|bat|ps1|sql|py|java|kt|template\w*)$/i

/** A larger picture is for the machine that opens it after downloading. */
const picture_bytes_max = 30 * 1024 ** 2
export const text_bytes = 256 * 1024

export function previewOf({
  name,
  content_type,
  size,
  url,
}: Pick<CloudFile, 'name' | 'content_type' | 'size' | 'url'>) {
  if (url === null || size === 0) return undefined
  if (pictures.has(content_type)) return size <= picture_bytes_max ? ('picture' satisfies PreviewKind) : undefined
  if (content_type === 'application/pdf') return 'pdf' satisfies PreviewKind
  if (content_type.startsWith('text/') || texts.has(content_type) || text_endings.test(name))
    return 'text' satisfies PreviewKind
  return undefined
}

/** The text of a file's first bytes, in the encoding that they can only be in, or else in that of Chinese systems. */
export function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // A character that is cut at the end is no fault.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('gb18030').decode(bytes)
  }
}
