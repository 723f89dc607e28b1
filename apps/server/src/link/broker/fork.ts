import type { ChildProcess } from 'node:child_process'
import { ownProcess } from '../../lib/own-process.ts'

/** The broker's process alone: it loads while its server still opens the database, and waits to be told where to listen. */
export const forkBroker = (): ChildProcess => ownProcess(import.meta.url, 'broker-process')
