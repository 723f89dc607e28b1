import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { contract } from '@mdm/contract'
import { memoryAbove, withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { against, interleaved, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { startNginx } from './nginx.ts'
import type { Nginx } from './nginx.ts'
import { treeCpuSeconds } from './processes.ts'

const run_file = promisify(execFile)
const rounds = 5
const mib = 1024 * 1024
const memory_mib = 64
const upload_mib = 100
/** So many at a time, and so many in all; enough of them that a round takes seconds. */
const downloads = [
  { size_mib: 1, at_once: 32, transfers: 640, wanted: 0.4 },
  { size_mib: 100, at_once: 8, transfers: 16, wanted: 0.8 },
] as const

const calls = contract.fileCloud.calls
const tus = { 'tus-resumable': '1.0.0' }

/** P8: files to devices against nginx with sendfile, and from browsers against cp and sha256sum; curl asks both. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const folder = await mkdtemp(join(tmpdir(), 'mdm-bench-p8-'))
    const nginx = await startNginx(folder)
    try {
      await site.client.query('UPDATE disk_space SET max_bytes = $1', [2 ** 40])
      const rows: Row[] = []
      const above = await memoryAbove(site, log, async () => {
        for (const of of downloads) rows.push(await downloaded(site, nginx, of, log))
        rows.push(await uploadedRow(site, nginx.files, log))
      })
      const memory = against([sampleOf(above)], memory_mib)
      return [...rows, row('P8', `MiB above rest, at most / ${memory_mib}`, memory, '<= 1', (r) => r.max <= 1)]
    } finally {
      await nginx.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

async function made(path: string, size_mib: number): Promise<void> {
  const file = await open(path, 'w')
  for (let at = 0; at < size_mib; at += 1) await file.write(randomBytes(mib))
  await file.sync()
  await file.close()
}

async function downloaded(
  site: Site,
  nginx: Nginx,
  { size_mib, at_once, transfers, wanted }: (typeof downloads)[number],
  log: (text: string) => void,
): Promise<Row> {
  const name = `${size_mib}.bin`
  await made(join(nginx.files, name), size_mib)
  const { url } = await kept(site, join(nginx.files, name), name)
  const ours = new URL(url!, new URL((await site.send('/')).url)).href
  const fetched = async (address: string, pid: number): Promise<Sample> => {
    const before = treeCpuSeconds(pid)
    const begun = performance.now()
    const args = ['--silent', '--fail', '--parallel', '--parallel-immediate', '--parallel-max', String(at_once)]
    const each = Array.from({ length: transfers }, () => ['--output', '/dev/null', address]).flat()
    await run_file('curl', [...args, ...each], { maxBuffer: 64 * mib })
    const seconds = (performance.now() - begun) / 1000
    return { value: (size_mib * transfers) / seconds, cpu_seconds: treeCpuSeconds(pid) - before }
  }
  // Both have the file in memory.
  await fetched(nginx.url(name), nginx.pid)
  await fetched(ours, site.server.pid)
  const pairs = await interleaved(
    rounds,
    () => fetched(ours, site.server.pid),
    () => fetched(nginx.url(name), nginx.pid),
  )
  for (const [a, b] of pairs)
    log(`${size_mib} MiB x ${at_once}: ${a.value.toFixed(0)} MiB/s, nginx ${b.value.toFixed(0)}`)
  const what = `MiB/s of ${size_mib} MiB x ${at_once} / nginx sendfile`
  return row('P8', what, pairs, `>= ${wanted}`, (r) => r.median >= wanted)
}

async function uploadedRow(site: Site, folder: string, log: (text: string) => void): Promise<Row> {
  const source = join(folder, 'upload.bin')
  await made(source, upload_mib)
  let n = 0
  const ours = async (): Promise<Sample> => {
    const before = treeCpuSeconds(site.server.pid)
    const begun = performance.now()
    await kept(site, source, `upload ${(n += 1)}.bin`)
    const seconds = (performance.now() - begun) / 1000
    return { value: upload_mib / seconds, cpu_seconds: treeCpuSeconds(site.server.pid) - before }
  }
  const limit = async (): Promise<Sample> => {
    const copy = join(folder, 'copy.bin')
    // The site below this process rests meanwhile.
    const before = treeCpuSeconds(process.pid)
    const begun = performance.now()
    await run_file('cp', [source, copy])
    await run_file('sha256sum', [copy])
    const seconds = (performance.now() - begun) / 1000
    const cpu_seconds = treeCpuSeconds(process.pid) - before
    await rm(copy)
    return { value: upload_mib / seconds, cpu_seconds }
  }
  await ours()
  await limit()
  const pairs = await interleaved(rounds, ours, limit)
  for (const [a, b] of pairs) log(`upload: ${a.value.toFixed(0)} MiB/s, cp and sha256sum ${b.value.toFixed(0)}`)
  const notes = [`${upload_mib} MiB, from the first byte until the file is in the file cloud, on disk and digested`]
  return row('P8', 'MiB/s of an upload / cp + sha256sum', pairs, '>= 0.5', (r) => r.median >= 0.5, notes)
}

/** Uploads a file as a browser does and keeps it. */
async function kept({ send, call }: Site, path: string, name: string) {
  const body = await openAsBlob(path)
  const created = await send('/upload', { method: 'POST', headers: { ...tus, 'upload-length': String(body.size) } })
  const upload_kid = created.headers.get('location')!.split('/').at(-1)!
  const sent = await send(`/upload/${upload_kid}`, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body,
  })
  if (sent.status !== 204) throw new Error(`upload: ${sent.status} ${await sent.text()}`)
  return call(calls.insert, { upload_kid, name })
}
