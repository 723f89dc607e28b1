import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyRelease } from './verify-release.ts'

const has_minisign = spawnSync('minisign', ['-v']).error === undefined
const title = has_minisign
  ? 'a release that minisign has signed'
  : 'a release that minisign has signed (skipped: the command minisign is not installed)'

describe.runIf(has_minisign)(title, () => {
  let folder: string
  const at = (name: string) => join(folder, name)
  const minisign = (...args: string[]) =>
    execFileSync('minisign', args, { cwd: folder, input: '', stdio: ['pipe', 'ignore', 'pipe'] })
  const key = (name = 'mdm') => readFileSync(at(`${name}.pub`), 'utf8')
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mdm-signed-'))
    for (const name of ['mdm', 'other']) minisign('-G', '-W', '-p', `${name}.pub`, '-s', `${name}.key`)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  function sign(name: string): string {
    writeFileSync(at(name), 'an archive\n'.repeat(100_000))
    minisign('-S', '-s', 'mdm.key', '-t', 'mdm 0.2.0', '-m', name)
    return at(name)
  }

  it('is known by the key, given as its file or as its line', async () => {
    const path = sign('whole.tar.gz')
    const found = await verifyRelease(path, key())
    expect(found.trusted_comment).toBe('mdm 0.2.0')
    expect(key()).toContain(found.key_id)
    expect(await verifyRelease(path, key().split('\n')[1]!)).toEqual(found)
  })

  it('is refused with one byte more, another comment, another key, and without a signature', async () => {
    const changed = sign('changed.tar.gz')
    appendFileSync(changed, 'x')
    await expect(verifyRelease(changed, key())).rejects.toThrow('is not what was signed')
    const renamed = sign('renamed.tar.gz')
    const signature = readFileSync(`${renamed}.minisig`, 'utf8')
    writeFileSync(`${renamed}.minisig`, signature.replace('mdm 0.2.0', 'mdm 0.3.0'))
    await expect(verifyRelease(renamed, key())).rejects.toThrow('is not what was signed')
    await expect(verifyRelease(sign('other.tar.gz'), key('other'))).rejects.toThrow('signed by another key')
    writeFileSync(at('bare.tar.gz'), '')
    await expect(verifyRelease(at('bare.tar.gz'), key())).rejects.toThrow('comes with the release')
    await expect(verifyRelease(renamed, 'no key')).rejects.toThrow('none of minisign')
  })
})
