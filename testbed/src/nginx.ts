import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'

export const has_nginx = spawnSync('nginx', ['-v']).error === undefined

/** The site that is handed out to operators. */
export const nginxSite = (): Promise<string> =>
  readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8').then((site) =>
    site.replaceAll('mdm.example.com', 'localhost').replaceAll(/^ *listen \[::\].*\n/gm, ''),
  )

/** nginx with one site, in the foreground; `serves` is asked until it does not throw. */
export async function startNginx(site: string, serves: () => Promise<void>): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-nginx-'))
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1; events {}
     http { access_log off; ${folders.join(' ')} include ${folder}/site.conf; }`,
  )
  await writeFile(join(folder, 'site.conf'), site)
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const close = async () => {
    nginx.kill('SIGQUIT')
    if (nginx.exitCode === null) await once(nginx, 'exit')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await until('nginx to serve', () => {
      if (nginx.exitCode !== null) throw new Error('nginx has ended')
      return serves().then(
        () => true,
        () => false,
      )
    })
    return { [Symbol.asyncDispose]: close }
  } catch (error) {
    const said = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '')
    await close()
    throw new Error(`nginx does not serve: ${said}`, { cause: error })
  }
}
