import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@mdm/server/testing/free-port.ts'

export type Nginx = Awaited<ReturnType<typeof startNginx>>
/** A server of files as they are. `locations` says how some of them are answered. */
export async function startNginx(folder: string, locations = '') {
  const files = join(folder, 'files')
  await mkdir(files)
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  await writeFile(
    config,
    `${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1; daemon off; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 512; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000; ${temporary}
server { listen 127.0.0.1:${port}; root ${files}; ${locations} } }`,
  )
  const child = spawn('nginx', ['-c', config, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error))
  await Promise.race([listening(port), failed])
  return {
    files,
    pid: child.pid!,
    url: (name: string) => `http://127.0.0.1:${port}/${name}`,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGQUIT')
      await gone
    },
  }
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      return
    await delay(50)
  }
  throw new Error('nginx does not listen')
}
