// Opens a shell of this machine with a process in its background, and says when that runs; a test kills it meanwhile.
import { terminal } from '../remote/terminal.ts'

const { stream } = terminal({})
let text = ''
stream.on('data', (bytes: Buffer) => {
  text += bytes.toString()
  if (text.includes('pid=')) process.send?.(/pid=(\d+)/.exec(text)?.[1] ?? '')
})
stream.write('sleep 4321 & (exec sleep 4321) & echo p""id=$!\r')
