import { api_method_max, apiMethodPattern } from '@mdm/device-link/api-method.ts'

export const api_limits = {
  methods: 20_000,
  uids: 200,
  /** Of a file of methods, and of what is typed. */
  file_bytes: 1024 ** 2,
  /** Of all apps of one UID together, as it is signed. */
  manifest_bytes: 4 * 1024 ** 2,
  /** Lines of a file that are shown because something is wrong with them. */
  faults: 50,
} as const

export const isApiMethod = (text: string): boolean => text.length <= api_method_max && apiMethodPattern.test(text)

export type ApiMethodFault = { line: number; text: string }
export type ApiMethods = {
  /** Each once, in the order of the file. */
  methods: string[]
  /** The first lines that are no `Class.method`. */
  faults: ApiMethodFault[]
  fault_count: number
  /** Lines that say what an earlier one said. */
  repeated: number
}

/** What a column may be called that holds methods; such a first line is none of them. */
const titles = new Set(['method', 'methods', 'class.method', 'api'])
const shown_max = 80

/** The methods in a text or CSV file: one a line, in the first column. Empty lines and those that begin with # say nothing. */
export function readApiMethods(text: string): ApiMethods {
  const methods = new Set<string>()
  const faults: ApiMethodFault[] = []
  let fault_count = 0
  let repeated = 0
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  lines.forEach((line, at) => {
    const [first = ''] = line.split(/[,;\t]/)
    const said = first.trim().replace(/^"(.*)"$/, '$1')
    if (said === '' || said.startsWith('#') || (at === 0 && titles.has(said.toLowerCase()))) return
    if (!isApiMethod(said)) {
      fault_count += 1
      if (faults.length < api_limits.faults) faults.push({ line: at + 1, text: said.slice(0, shown_max) })
    } else if (methods.has(said)) repeated += 1
    else methods.add(said)
  })
  return { methods: [...methods], faults, fault_count, repeated }
}
