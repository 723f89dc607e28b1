/** The address of the page that makes a browser the device of a code, as the code of other devices names it. */
export function terminalPage(content: string): string {
  const url = new URL(content)
  // Behind the #, so that no server and no log sees it.
  return `${url.origin}${url.pathname.replace(/\/enrol$/, '')}/terminal#${url.searchParams.get('qr') ?? ''}`
}
