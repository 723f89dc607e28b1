import { until } from './until.ts'
import type { Caller } from './caller.ts'
import { osZip } from './os-zip.ts'
import { uploadFile } from './upload.ts'

type Version = { os_version: string; version_code: number; ver: number }

type Release = {
  uid_kid: string
  uid: string
  version: Version
  content?: string
  /** The package itself, where it is none of ours. */
  file?: { name: string; bytes: Buffer }
}

/** A version with its full package that all customers may have. Its `kid`. */
export async function releaseOs(operator: Caller, { uid_kid, uid, version, content, file }: Release): Promise<string> {
  const { kid } = await operator.opsOsVersion.insert({ uid_kid, ...version })
  const { name, bytes } = file ?? { name: `m_${uid}_full.zip`, bytes: await osZip(content) }
  const upload_kid = await uploadFile(operator, name, bytes)
  await operator.opsOsVersion.insert_package({ os_version_kid: kid, upload_kid })
  await until('the package to be ready', async () =>
    (await operator.opsOsVersion.get({ kid })).packages.every(({ state }) => state === 'ready'),
  )
  await operator.opsOsVersion.save_audience({ kid, mode: 'launched', is_for_all: true, accounts: [] })
  await operator.opsOsVersion.release({ kid })
  return kid
}
