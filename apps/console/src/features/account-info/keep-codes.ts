/** Copies what a list says. Without the clipboard interface, on plain HTTP, the list is selected and copied from there. */
export async function copyList(list: HTMLElement, lines: readonly string[]): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(lines.join('\n'))
  getSelection()?.selectAllChildren(list)
  if (!document.execCommand('copy')) throw new Error('copy refused')
}

/** Hands a text to the browser as a file to keep. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
