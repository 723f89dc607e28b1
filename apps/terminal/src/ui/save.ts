import type { Received } from '../files/received.ts'

/** So long a browser may take to begin with it. */
const held_ms = 60_000

/** Hands a file to the browser's own downloads. Never shown in place: what was sent must not run as a part of this site. */
export function saveFile({ blob, name }: Received): void {
  const address = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), held_ms)
}
