/** Has the browser fetch what the server names as a file: its address says so, and the page stays. */
export function startDownload({ url }: { url: string }): void {
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.click()
}
