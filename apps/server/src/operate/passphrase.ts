import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { OperatorFault } from './fault.ts'

const shortest = 12

/** The first line of a file, else what is typed; `is_new` is typed twice. */
export async function readPassphrase(file: string | undefined, { is_new }: { is_new: boolean }): Promise<string> {
  const given = file === undefined ? await typed(is_new) : await firstLineOf(file)
  if (is_new && given.length < shortest) throw new OperatorFault(`A passphrase has at least ${shortest} characters.`)
  return given
}

async function firstLineOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorFault(`${file} cannot be read (${error.code ?? error.message}).`)
  })
  return text.split(/\r?\n/, 1)[0] ?? ''
}

async function typed(is_new: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new OperatorFault('Nobody can be asked for the passphrase here: --passphrase-file FILE.')
  const first = await ask('Passphrase: ')
  if (is_new && (await ask('Once more: ')) !== first) throw new OperatorFault('These were two different ones.')
  return first
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await new Promise<string>((done, failed) => {
      terminal.once('line', done)
      terminal.once('close', () => failed(new OperatorFault('No passphrase.')))
    })
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
