import { changesFiles, file_frame_bytes, fileFrame, fileFrames, FileQuestion, noteOfFrame } from '@mdm/device-link'

/** What would move the cursor of whoever looks at the recording, or turn its text around. */
const unsayable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu
const shown = (path: string): string => path.replaceAll(unsayable, '\uFFFD')

/** One line for each file that is read or put, at its beginning; of folders, what is made. */
function lineOf(question: FileQuestion): string | undefined {
  if ('read' in question) return question.read.offset === 0 ? `read ${shown(question.read.path)}\r\n` : undefined
  if ('put' in question) {
    const { path, name, size } = question.put
    return `put ${shown(path)} / ${shown(name)}: ${size} bytes\r\n`
  }
  if ('make_folder' in question) return `make folder ${shown(question.make_folder.path)}\r\n`
  return undefined
}

/**
 * What a viewer asks of a device's files: whole questions alone go on, written anew, and those that change something only from
 * whoever may. Anything else ends the tunnel. What the device answers is not parsed.
 */
export function filesFilter(may: { readonly control: boolean }, tell: (line: string) => void) {
  const take = fileFrames(file_frame_bytes.question)
  /** Bytes that a `write` has announced. */
  let expected: number | undefined
  return {
    pass(data: Buffer): Buffer {
      const frames = take(data).map((frame) => {
        if (frame.type === 'piece') {
          if (expected !== frame.body.length) throw new Error('bytes that nothing announced')
          expected = undefined
          if (!may.control) throw new Error('files are changed by somebody who may not')
          return fileFrame(frame.body)
        }
        if (expected !== undefined) throw new Error('a question where bytes were announced')
        const question = FileQuestion.parse(noteOfFrame(frame))
        if (changesFiles(question) && !may.control) throw new Error('files are changed by somebody who may not')
        if ('write' in question) expected = question.write.length
        const line = lineOf(question)
        if (line !== undefined) tell(line)
        return fileFrame(question)
      })
      return Buffer.concat(frames)
    },
  }
}
