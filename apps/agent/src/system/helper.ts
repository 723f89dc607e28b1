import { createServer, createConnection } from 'node:net'
import type { Server } from 'node:net'
import { createInterface } from 'node:readline'
import { failureCodes } from '@mdm/device-link'
import * as z from 'zod'
import { TaskFailure } from '../body/body.ts'
import { asFailure } from '../body/failures.ts'
import type { SystemWork } from '../body/system-work.ts'
import { debianPackages } from './debian.ts'
import type { DebianOptions } from './debian.ts'

const path = z.string().max(4096)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const name = z.string().max(255)
const Change = z.discriminatedUnion('do', [
  z.object({ do: z.literal('make_folder'), path }),
  z.object({ do: z.literal('rename'), path, name }),
  z.object({ do: z.literal('remove'), path }),
])
const Run = z.object({
  env: z.record(z.string().regex(/^MDM_[A-Z_]+$/), z.string()).optional(),
  stdin: z.string().optional(),
  timeout_ms: z.number().max(7_200_000),
  max_bytes: z
    .number()
    .max(16 * 1_048_576)
    .optional(),
})
/** All that the agent may ask of root, a line of JSON each. */
const Request = z.discriminatedUnion('work', [
  z.object({ work: z.literal('find_place'), with: z.tuple([path, name]) }),
  z.object({ work: z.literal('put_file'), with: z.tuple([z.object({ part: path, folder: path, name, sha256 })]) }),
  z.object({ work: z.literal('remove_file'), with: z.tuple([path, sha256]) }),
  z.object({ work: z.literal('change_files'), with: z.tuple([Change]) }),
  z.object({ work: z.literal('install_package'), with: z.tuple([z.object({ place: path, sha256, package: name })]) }),
  z.object({ work: z.literal('remove_package'), with: z.tuple([name]) }),
  z.object({ work: z.literal('run_command'), with: z.tuple([name, Run]) }),
  z.object({ work: z.literal('install_os'), with: z.tuple([path]) }),
  z.object({ work: z.literal('settle_os'), with: z.tuple([z.enum(['keep', 'leave'])]) }),
  z.object({ work: z.literal('restart'), with: z.tuple([]) }),
  z.object({ work: z.literal('shut_down'), with: z.tuple([]) }),
])
const Reply = z.union([
  z.object({ done: z.unknown() }),
  z.object({ code: z.enum(failureCodes).catch('internal'), message: z.string() }),
])

/** A section of a configuration is the longest. */
const line_max = 2 * 1_048_576
/** Output of a command travels as text. */
const Ran = z.object({ code: z.number().nullable(), stdout: z.string(), stderr: z.string() })

/** `signal`: the agent has gone, or wants no more of it; only commands end for that. */
async function answer(work: SystemWork, line: string, signal: AbortSignal): Promise<object> {
  try {
    const request = Request.parse(JSON.parse(line))
    if (request.work === 'run_command') {
      if (!work.run_command) throw new TaskFailure('not_supported', 'This helper runs no commands')
      const { env, stdin, timeout_ms, max_bytes } = request.with[1]
      const how = { timeout_ms, signal, ...(env && { env }), ...(stdin !== undefined && { stdin }) }
      const ran = await work.run_command(request.with[0], { ...how, ...(max_bytes !== undefined && { max_bytes }) })
      return { done: { ...ran, stdout: ran.stdout.toString('base64') } satisfies z.infer<typeof Ran> }
    }
    const run = work[request.work] as (...args: unknown[]) => Promise<unknown>
    return { done: (await run(...request.with)) ?? null }
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      return { code: 'bad_task', message: 'No such work' }
    const { code, message } = asFailure(error)
    return { code, message }
  }
}

/**
 * Does work for the agent, which has no rights of its own. Who may connect is the matter of the socket: systemd gives it to the
 * group of the agent alone. Ends when nobody has asked for `idle_ms`; the next question starts it again.
 */
export function openHelper(work: SystemWork, listen: { fd: number } | string, idle_ms?: number): Promise<Server> {
  let busy = 0
  let timer: NodeJS.Timeout | undefined
  const server = createServer((socket) => {
    socket.on('error', () => {})
    const gone = new AbortController()
    socket.on('close', () => gone.abort(new Error('Nobody waits for it')))
    let size = 0
    socket.on('data', (chunk: Buffer) => (size += chunk.length) > line_max && socket.destroy())
    createInterface({ input: socket }).once('line', (line) => {
      busy += 1
      clearTimeout(timer)
      void answer(work, line, gone.signal).then((reply) => {
        busy -= 1
        rest()
        socket.end(`${JSON.stringify(reply)}\n`)
      })
    })
  })
  function rest() {
    if (idle_ms !== undefined && busy === 0) timer = setTimeout(() => server.close(), idle_ms)
  }
  rest()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(typeof listen === 'string' ? { path: listen } : listen, () => resolve(server))
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same work, asked of the helper at a socket. */
export function helperWork(socket_path: string, can: SystemWork['can'], debian: DebianOptions): SystemWork {
  const packages = debianPackages(debian)
  function ask<T>(work: string, ...args: unknown[]): Promise<T> {
    return askUntil(undefined, work, ...args)
  }
  function askUntil<T>(signal: AbortSignal | undefined, work: string, ...args: unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const fail = (message: string) => reject(new TaskFailure('not_supported', `The helper of the agent: ${message}`))
      const socket = createConnection(socket_path)
      const abort = () => {
        socket.destroy()
        reject(signal!.reason)
      }
      if (signal?.aborted) return abort()
      signal?.addEventListener('abort', abort, { once: true })
      let text = ''
      socket.setEncoding('utf8')
      socket.on('error', (error) => fail(error.message))
      socket.on('connect', () => socket.write(`${JSON.stringify({ work, with: args })}\n`))
      socket.on('data', (chunk: string) => (text += chunk))
      socket.on('close', () => {
        signal?.removeEventListener('abort', abort)
        const { data } = Reply.safeParse(jsonOf(text))
        if (!data) return fail('it ended before it was done')
        if ('message' in data) return reject(new TaskFailure(data.code, data.message))
        resolve(data.done as T)
      })
    })
  }
  return {
    can,
    find_place: (...args) => ask('find_place', ...args),
    put_file: (...args) => ask('put_file', ...args),
    remove_file: (...args) => ask('remove_file', ...args),
    change_files: (...args) => ask('change_files', ...args),
    install_package: (...args) => ask('install_package', ...args),
    remove_package: (...args) => ask('remove_package', ...args),
    // Reading needs no rights.
    installed_version: packages.installed,
    pushed_packages: packages.pushed,
    async run_command(command, { signal, cwd: _, ...how }) {
      const { stdout, ...ran } = Ran.parse(await askUntil(signal, 'run_command', command, how))
      return { ...ran, stdout: Buffer.from(stdout, 'base64') }
    },
    install_os: (...args) => ask('install_os', ...args),
    settle_os: (...args) => ask('settle_os', ...args),
    restart: () => ask('restart'),
    shut_down: () => ask('shut_down'),
  }
}
