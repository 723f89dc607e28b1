/** Has the browser keep something that the page has made or fetched. */
export function saveBlob(name: string, body: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(body)
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

export const saveText = (name: string, text: string): void =>
  saveBlob(name, new Blob([text], { type: 'text/plain;charset=utf-8' }))
