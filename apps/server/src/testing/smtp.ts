import { SMTPServer } from 'smtp-server'
import type { AddressInfo } from 'node:net'

export type Smtp = { settings: { url: string; from: string }; mails: string[]; close: () => Promise<void> }
type Hearing = { isKnown?: (password: string) => boolean; beforeData?: (address: string) => Promise<void> }
/**
 * A mail server that knows nobody of the name `gone`; what it took, as people read it. With `isKnown` it wants a password,
 * and `beforeData` is waited for before it takes a mail.
 */
export async function startSmtp({ isKnown, beforeData }: Hearing = {}): Promise<Smtp> {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: isKnown === undefined,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (isKnown?.(password ?? '')) done(null, { user: username })
      else done(Object.assign(new Error('not accepted'), { responseCode: 535 }))
    },
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('gone@') ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : undefined)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const take = () => {
          mails.push(decoded(Buffer.concat(chunks).toString('utf8')))
          done()
        }
        void (beforeData?.(session.envelope.rcptTo[0]!.address) ?? Promise.resolve()).then(take)
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    settings: { url: `smtp://127.0.0.1:${port}`, from: 'MDM <mdm@example.com>' },
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
export const subjectOf = (mail: string) => /^Subject: (.*)$/m.exec(mail)?.[1]?.trim()

/** Headers and body as people read them: encoded words, base64 and quoted-printable undone. */
function decoded(raw: string): string {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ')
  const words = unfolded
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_whole, how: string, text: string) =>
      how.toUpperCase() === 'B' ? Buffer.from(text, 'base64').toString('utf8') : quoted(text.replaceAll('_', ' ')),
    )
  const body = rest.join('\r\n\r\n')
  if (/transfer-encoding: base64/i.test(head)) return `${words}\n${Buffer.from(body, 'base64').toString('utf8')}`
  return `${words}\n${/quoted-printable/i.test(head) ? quoted(body) : body}`
}
const quoted = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')
