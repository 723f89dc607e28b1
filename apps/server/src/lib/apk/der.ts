import { invalid } from './source.ts'

type Element = { tag: number; start: number; end: number; whole: Buffer }

const sequence = 0x30
const set = 0x31
const explicit_0 = 0xa0

/** The DER element at `at`; nothing of it may lie beyond `end`. */
function elementAt(der: Buffer, at: number, end = der.length): Element {
  const tag = der[at]
  const first = der[at + 1]
  if (tag === undefined || first === undefined || at + 2 > end) throw invalid('DER ends early')
  const more = first & 0x80 ? first & 0x7f : 0
  if (more > 4 || first === 0x80 || at + 2 + more > end) throw invalid('DER length is not readable')
  const length = more === 0 ? first : der.readUIntBE(at + 2, more)
  const start = at + 2 + more
  if (start + length > end) throw invalid('DER ends early')
  return { tag, start, end: start + length, whole: der.subarray(at, start + length) }
}

function childrenOf(der: Buffer, { start, end }: Element): Element[] {
  const children: Element[] = []
  for (let at = start; at < end; at = children.at(-1)!.end) {
    if (children.length >= 1_000) throw invalid('DER has too many parts')
    children.push(elementAt(der, at, end))
  }
  return children
}

function first(elements: Element[], tag: number, what: string): Element {
  const found = elements.find((element) => element.tag === tag)
  if (!found) throw invalid(`PKCS #7 has no ${what}`)
  return found
}

/** Issuer and serial number as they stand in a certificate: together they name it. */
function nameOf(certificate: Buffer): Buffer {
  const [tbs] = childrenOf(certificate, elementAt(certificate, 0))
  if (tbs?.tag !== sequence) throw invalid('not a certificate')
  const parts = childrenOf(certificate, tbs)
  if (parts[0]?.tag === explicit_0) parts.shift()
  const [serial, , issuer] = parts
  if (!serial || !issuer) throw invalid('not a certificate')
  return Buffer.concat([issuer.whole, serial.whole])
}

/** The certificate of the first signer, out of a PKCS #7 SignedData (the META-INF/*.RSA of a JAR). */
export function pkcs7Signer(der: Buffer): Buffer {
  const content = first(childrenOf(der, elementAt(der, 0)), explicit_0, 'content')
  const signed = childrenOf(der, first(childrenOf(der, content), sequence, 'signed data'))
  const certificates = childrenOf(der, first(signed, explicit_0, 'certificates')).map(({ whole }) => whole)
  // Digest algorithms are the first set, signers the last.
  const signers = childrenOf(der, first(signed.toReversed(), set, 'signers'))
  const signer = childrenOf(der, first(signers, sequence, 'signer'))
  const [issuer, serial] = childrenOf(der, first(signer, sequence, 'name of the signer'))
  if (!issuer || !serial) throw invalid('PKCS #7 does not name its signer')
  const name = Buffer.concat([issuer.whole, serial.whole])
  const found = certificates.find((certificate) => nameOf(certificate).equals(name))
  if (!found) throw invalid("PKCS #7 lacks its signer's certificate")
  return found
}
