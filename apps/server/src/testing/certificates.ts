import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Certificate } from '../lib/certificate.ts'

/** A certificate that this authority has signed. */
export function signedBy(authority: Certificate, name: string): Certificate {
  return inFolder((at) => {
    writeFileSync(at('ca.pem'), authority.cert)
    writeFileSync(at('ca.key'), authority.key)
    const own = [...new_key, '-subj', `/CN=${name}`, '-keyout', at('key.pem'), '-out', at('request.pem')]
    execFileSync('openssl', ['req', ...own], { stdio: 'ignore' })
    const by = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2']
    execFileSync('openssl', ['x509', '-req', '-in', at('request.pem'), ...by, '-out', at('cert.pem')], {
      stdio: 'ignore',
    })
    return { cert: readFileSync(at('cert.pem'), 'utf8'), key: readFileSync(at('key.pem'), 'utf8') }
  })
}

/** A certificate for this machine that nobody else has signed. */
export function selfSigned(name = 'localhost', days = 2): Certificate {
  return inFolder((at) => {
    const [cert, key] = [at('cert.pem'), at('key.pem')]
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    const made = ['req', '-x509', ...new_key, '-days', String(days)]
    execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  })
}

const new_key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function inFolder<T>(make: (at: (name: string) => string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'mdm-certificate-'))
  try {
    return make((name) => join(folder, name))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
