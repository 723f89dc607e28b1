export const version_line = /^RFB (\d{3})\.(\d{3})\n$/
const none = 1

/**
 * The server's half of the RFB handshake, without authentication: the tunnel is behind tickets and a credential. Given what
 * the viewer sends, answers with what comes after the handshake, once that is over. Throws at what is no RFB.
 */
export function greetViewer(send: (bytes: Buffer) => void): (chunk: Buffer) => Buffer | undefined {
  let step: 'version' | 'security' | 'init' = 'version'
  let minor = 8
  let rest: Buffer = Buffer.alloc(0)
  send(Buffer.from('RFB 003.008\n'))
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    if (step === 'version') {
      if (rest.length < 12) return undefined
      const version = version_line.exec(rest.subarray(0, 12).toString('latin1'))
      if (version?.[1] !== '003') throw new Error('The viewer speaks no RFB 3')
      minor = Number(version[2])
      rest = rest.subarray(12)
      step = minor >= 7 ? 'security' : 'init'
      send(minor >= 7 ? Buffer.from([1, none]) : Buffer.from([0, 0, 0, none]))
    }
    if (step === 'security') {
      if (rest.length < 1) return undefined
      if (rest[0] !== none) throw new Error(`The viewer chose security type ${rest[0]}`)
      rest = rest.subarray(1)
      step = 'init'
      if (minor >= 8) send(Buffer.alloc(4))
    }
    // ClientInit says whether others may look too: they may, each over a tunnel of its own.
    return rest.length < 1 ? undefined : rest.subarray(1)
  }
}
