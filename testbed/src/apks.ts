import { readFile } from 'node:fs/promises'
import { readSigner } from '@mdm/server/lib/apk/signer.ts'
import { inMemory } from '@mdm/server/lib/apk/source.ts'
import { binaryXml, configurableProgram } from '@mdm/server/testing/android-resources.ts'
import { blockIds, disguisedApk, realApk, signature, signingBlock, zip } from '@mdm/server/testing/apk.ts'
import type { TestEntry } from '@mdm/server/testing/apk.ts'

export { disguisedApk, realApk, zip } from '@mdm/server/testing/apk.ts'

/** The certificate of whoever signed the real APK. */
export const realSigner = async (): Promise<Buffer> => (await readSigner(inMemory(await readFile(realApk)))).certificate

/** The certificate of somebody else: it differs in its serial number. */
export async function otherSigner(): Promise<Buffer> {
  const certificate = Buffer.from(await realSigner())
  certificate[15]! ^= 1
  return certificate
}

/** The real APK as another would have made it. */
export const foreignApk = async (version_code: number, version_name: string): Promise<Buffer> =>
  disguisedApk({ certificate: await otherSigner(), version_code, version_name })

const signedByReal = async (entries: TestEntry[]): Promise<Buffer> =>
  zip({ entries, block: signingBlock([[blockIds.v2, signature(await realSigner())]]) })

/** One that says what can be set of it from outside. */
export const configurableApk = (name: string): Promise<Buffer> => signedByReal(configurableProgram(name))

type Named = { package: string; name: string; version_code: number; version_name: string }
/** A small APK whose manifest holds nothing but its name and version. */
export const namedApk = ({ name, ...facts }: Named): Promise<Buffer> =>
  signedByReal([
    {
      name: 'AndroidManifest.xml',
      content: binaryXml({
        name: 'manifest',
        attributes: facts,
        children: [{ name: 'application', attributes: { label: name } }],
      }),
    },
  ])
