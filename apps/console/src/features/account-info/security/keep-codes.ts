/** Copies what a list says. Without the clipboard interface, on plain HTTP, the list is selected and copied from there. */
export async function copyList(list: HTMLElement, lines: readonly string[]): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(lines.join('\n'))
  getSelection()?.selectAllChildren(list)
  if (!document.execCommand('copy')) throw new Error('copy refused')
}
