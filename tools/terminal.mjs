import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const started = performance.now()
/** One line of progress, on standard error so that piped output stays clean. */
export const step = (text) =>
  console.error(`[${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s] ${text}`)
